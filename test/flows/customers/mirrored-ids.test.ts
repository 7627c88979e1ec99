import { expect, test } from 'vitest'
import type { ErasedPerson } from '../../../src/admin/data-subjects.ts'
import { eventually } from '../../eventually.ts'
import { customer, sale } from '../../fixtures/payloads.ts'
import { startTestHub } from '../../hub.ts'
import { NO_SERVER, SERVER, temporarySchema } from '../../storage/postgres/schema.ts'
import { ZEB } from './zeb.ts'

/** Erases somebody whom own systems know by a short id; the customers of the sales that the mirror has afterwards, by their receipts. */
async function leftOfShortIds(store?: { url: string }): Promise<Map<string, unknown>> {
  const lookups = { customers: { tokens: ['crm-token-of-the-tests'], countries: ['NO'] } }
  await using hub = await startTestHub({ config: { mirror: 'all', lookups, ...(store && { store }) } })
  const ids = { customerId: 1007, customerExtId: 'shop:17' }
  await hub.post('CustomerCreated', customer({ ...ZEB, ...ids }), { eventId: 'Z-1' })
  const { firstName, lastName } = ZEB
  const nameless = { ...sale().customer, ...ids, email: '', phone: '', firstName, lastName }
  const bought = [
    { receiptNo: 'both', customer: nameless },
    { receiptNo: 'own', customer: { ...nameless, customerId: 0 } },
    { receiptNo: 'another', customer: { ...nameless, customerExtId: 'pos-9' } },
    { receiptNo: 'other', customer: { ...nameless, customerId: 10_070, customerExtId: 'shop:170', firstName: 'Kari' } },
  ]
  for (const given of bought) await hub.post('SaleCreated', sale(given), { eventId: given.receiptNo })
  const rows = () => hub.hub.storage.mirrorPage({ set: 'sales' }, null, 10)
  await eventually(async () => expect(await rows()).toHaveLength(bought.length))
  // Beside transactions of others on a server, the index may come later.
  await eventually(async () => {
    const asked = { who: ZEB.email, reason: 'asked', skipOpen: true }
    expect((await hub.admin<ErasedPerson>('people/erase', asked)).status).toBe(200)
  })
  return new Map((await rows()).map(({ body }) => [String(body.receiptNo), [body.customerId, body.customer]]))
}

function expectErased(left: Map<string, unknown>): void {
  for (const receipt of ['both', 'own', 'another'])
    expect(JSON.stringify(left.get(receipt)), receipt).not.toMatch(/1007|shop:17|pos-9|Zeb|Qvist/)
  expect(JSON.stringify(left.get('other'))).toMatch(/10070.*Kari.*shop:170/)
}

test('When sales of the mirror have short ids of a person in own systems, then they are erased, and longer ones stay', async () => {
  expectErased(await leftOfShortIds())
})

test.skipIf(SERVER === undefined)(`When it is so on PostgreSQL (${NO_SERVER} otherwise), then there, too`, async () => {
  await using schema = await temporarySchema()
  expectErased(await leftOfShortIds({ url: schema.url }))
})
