import { expect, test } from 'vitest'
import type { ErasedPerson } from '../../../../src/privacy/erasing.ts'
import { eventually } from '../../../eventually.ts'
import { sale } from '../../../fixtures/payloads.ts'
import { keptIn, type TestHub } from '../../../hub.ts'
import { NO_SERVER, SERVER, temporarySchema } from '../../../storage/postgres/schema.ts'
import { aHubThatKnowsZeb, bought, bytesWith, ZEB } from '../zeb.ts'

/** Others whose addresses and names hold those of the person as a part. */
const OTHERS = [
  { email: 'ida.zebedaeus@canary.example.com', firstName: 'Ida', lastName: 'Lie' },
  { email: 'xzebedaeus@canary.example.com', firstName: 'Xenia', lastName: 'Lie' },
  { email: 'zebedaeus@canary.example.com.au', firstName: 'Kari', lastName: 'Lie' },
  { email: 'kari@example.com', firstName: 'Kari', lastName: 'Lie', customerName: 'Jan Zebedæus Qvistgaardsen' },
  { email: 'eli@example.com', firstName: 'Eli', lastName: 'Lie', companyName: 'Zebedæus Qvistgaardsen-Lie' },
]

test('When addresses and names of others hold those of an erased person, then theirs stay whole, and the proof finds nothing left', async () => {
  await using hub = await aHubThatKnowsZeb()
  await othersBuy(hub)
  const before = bodiesOf(hub, 'B-')
  const note = sale({ receiptNo: '3001', comment: 'tell zebedaeus@canary.example.com\nZebedæus Qvistgaardsen' })
  await bought(hub, note, 'N-1')

  const erased = (await hub.admin<ErasedPerson>('people/erase', { who: ZEB.email, reason: 'asked' })).body

  expect(bodiesOf(hub, 'B-')).toEqual(before)
  expect(bodiesOf(hub, 'N-')[0]).toMatchObject({
    comment: `tell ${erased.proof?.pseudonym}@erased.invalid\nZebedæus Qvistgaardsen`,
  })
  expect(erased.proof?.secondPass.found).toBe(0)
  expect(erased.proof?.secondPass.warnings.join()).toMatch(/a part of another word, and stays: look at .*event \d+/)
  expect(bytesWith(hub, [' zebedaeus@canary.example.com\\', '"zebedaeus@canary.example.com"', '41239876'])).toEqual([])
})

test.skipIf(SERVER === undefined)(
  `When it is so on PostgreSQL (${NO_SERVER} otherwise), then theirs stay whole there, too`,
  async () => {
    await using schema = await temporarySchema()
    await using hub = await aHubThatKnowsZeb({ store: { url: schema.url } })
    await othersBuy(hub)
    await eventually(async () => {
      const { status, body } = await hub.admin<ErasedPerson>('people/erase', { who: ZEB.email, reason: 'asked' })
      expect(status).toBe(200)
      expect(body.proof?.secondPass.found).toBe(0)
    })
    for (const { email } of OTHERS)
      expect((await hub.admin('people/find', { who: email, reveal: true })).body).toMatchObject({
        emails: [email],
        events: 1,
      })
  },
)

async function othersBuy(hub: TestHub): Promise<void> {
  for (const [nth, other] of OTHERS.entries()) {
    const customer = { ...sale().customer, ...other, customerId: 500 + nth, phone: `9000000${nth}`, customerExtId: '' }
    await bought(hub, sale({ receiptNo: `20${nth}`, customer, comment: `of ${other.email}` }), `B-${nth}`)
  }
}

function bodiesOf(hub: TestHub, key: string): unknown[] {
  const own = keptIn(hub).filter(({ transportKey }) => transportKey?.startsWith(key))
  return own.map(({ body }) => JSON.parse(String(body)))
}
