import { expect, test } from 'vitest'
import type { ErasedPerson } from '../../../src/admin/data-subjects.ts'
import { eventually } from '../../eventually.ts'
import { customer } from '../../fixtures/payloads.ts'
import { startTestHub } from '../../hub.ts'
import { NO_SERVER, SERVER, temporarySchema } from '../../storage/postgres/schema.ts'

/** Erases by an address in small letters; what a row of the mirror says afterwards that has it in capitals. */
async function leftInCapitals(store?: { url: string }): Promise<string> {
  const lookups = { customers: { tokens: ['crm-token-of-the-tests'], countries: ['NO'] } }
  await using hub = await startTestHub({ config: { mirror: 'all', lookups, ...(store && { store }) } })
  await hub.post('CustomerCreated', customer({ email: 'ola@example.com' }), { eventId: 'C-1' })
  const row = { key: 'D-1', place: '1', article: null, day: '', part: null, version: 0, tie: 0 }
  const body = { comment: 'for Ola@Example.COM', other: 'for Kari@Example.COM' }
  await hub.hub.storage.saveMirror([{ type: 'put', row: { ...row, set: 'goods-deliveries', body } }], Date.now())
  // Beside transactions of others on a server, the index may come later.
  await eventually(async () => {
    const asked = { who: 'ola@example.com', reason: 'asked', skipOpen: true }
    expect((await hub.admin<ErasedPerson>('people/erase', asked)).status).toBe(200)
  })
  return JSON.stringify(await hub.hub.storage.mirrorPage({ set: 'goods-deliveries' }, null, 10))
}

test('When a row of the mirror has an address in capitals, then an erasure by it in small letters reaches it', async () => {
  const left = await leftInCapitals()
  expect(left).not.toMatch(/ola@example\.com/i)
  expect(left).toContain('Kari@Example.COM')
})

test.skipIf(SERVER === undefined)(
  `When it is so on PostgreSQL (${NO_SERVER} otherwise), then it is reached there, too`,
  async () => {
    await using schema = await temporarySchema()
    expect(await leftInCapitals({ url: schema.url })).not.toMatch(/ola@example\.com/i)
  },
)
