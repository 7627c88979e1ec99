import { expect, test } from 'vitest'
import { asking } from '../../../cli/run.ts'
import { eventually } from '../../../eventually.ts'
import { sale } from '../../../fixtures/payloads.ts'
import { keptIn, type TestHub } from '../../../hub.ts'
import { aHubThatKnowsZeb, bought, bytesWith, erase, testOnPostgres, ZEB } from '../zeb.ts'

/** What others write of the person: identifiers go, in capitals too; names stay, and an operator is told where to look. */
const SAID: readonly (readonly [string, RegExp])[] = [
  ['ask zebedaeus@canary.example.com, soon', /^ask erased-[0-9a-f]{8}@erased\.invalid, soon$/],
  ['ZEBEDAEUS@CANARY.EXAMPLE.COM', /^erased-[0-9a-f]{8}@erased\.invalid$/],
  ['email=zebedaeus%40canary.example.com', /^email=erased-[0-9a-f]{8}@erased\.invalid$/],
  ['ring 41239876 or +4741239876', /^ring 99900\d{8} or \+99900\d{8}$/],
  ['11111111-2222-4333-8444-555555555555', /^e0000000-/],
  ['For Zebedæus Qvistgaardsen', /^For Zebedæus Qvistgaardsen$/],
  ['141239876', /^141239876$/],
]

test('When free texts of others say an identifier of an erased person, then it goes, and the proof says that names are to be looked for', async () => {
  await using hub = await aHubThatKnowsZeb()
  await allBuy(hub)
  const { out } = await asking(hub)('people', 'find', ZEB.email)
  expect(out).toMatch(/Not searched: names and addresses in free texts of others.*comment.*receiptFormatted/)
  const { proof } = (await erase(hub)).body
  const said = keptIn(hub).filter(({ transportKey }) => transportKey?.startsWith('S-'))
  expectGone(said.map(({ body }) => JSON.parse(String(body))))
  expect(proof?.secondPass.found).toBe(0)
  expect(proof?.secondPass.warnings.join()).toMatch(/Not searched: names and addresses in free texts of others/)
})

testOnPostgres('Identifiers in free texts of others go', async (store) => {
  await using hub = await aHubThatKnowsZeb({ store })
  await allBuy(hub)
  await eventually(async () => {
    const { status, body } = await erase(hub)
    expect(status).toBe(200)
    expect(body.proof?.secondPass.found).toBe(0)
  })
  const bodies = await hub.hub.storage.bodies(Array.from({ length: 40 }, (_, nth) => nth + 1))
  const sales = bodies.map(({ body }) => JSON.parse(String(Buffer.from(body))))
  expectGone(sales.filter(({ receiptNo }) => String(receiptNo).startsWith('30')))
})

test('When a printed receipt of theirs says their name and number, then it is printed without them', async () => {
  await using hub = await aHubThatKnowsZeb()
  const receiptFormatted = '<Line>ZEBEDÆUS Qvistgaardsen, 41239876</Line><Line>1 T-shirt 349.00</Line>'
  await bought(hub, sale({ receiptNo: '6201', customer: { ...ZEB, customerExtId: '' }, receiptFormatted }), 'S-1')
  await erase(hub)
  const kept = keptIn(hub).find(({ transportKey }) => transportKey === 'S-1')
  const printed = JSON.parse(String(kept?.body)).receiptFormatted
  expect(printed).not.toMatch(/zebed|qvist|4123/i)
  expect(printed).toContain('<Line>1 T-shirt 349.00</Line>')
})

function expectGone(sales: readonly { receiptNo: string; comment: string; customer: { email: string } }[]): void {
  const inOrder = [...sales].sort((a, b) => Number(a.receiptNo) - Number(b.receiptNo))
  expect(inOrder).toHaveLength(SAID.length)
  for (const [nth, [, left]] of SAID.entries()) expect(inOrder[nth]?.comment).toMatch(left)
  expect(inOrder.map(({ customer }) => customer.email)).toEqual(SAID.map((_, nth) => `kari${nth}@example.com`))
}

async function allBuy(hub: TestHub): Promise<void> {
  for (const [nth, [comment]] of SAID.entries()) {
    const own = { customerId: 700 + nth, email: `kari${nth}@example.com`, phone: `910000${nth + 10}` }
    const customer = { ...sale().customer, ...own, firstName: 'Kari', lastName: 'Lie', customerExtId: '' }
    await bought(hub, sale({ receiptNo: `30${nth}`, customer, comment }), `S-${nth}`)
  }
}

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

  const erased = (await erase(hub)).body

  expect(bodiesOf(hub, 'B-')).toEqual(before)
  expect(bodiesOf(hub, 'N-')[0]).toMatchObject({
    comment: `tell ${erased.proof?.pseudonym}@erased.invalid\nZebedæus Qvistgaardsen`,
  })
  expect(erased.proof?.secondPass.found).toBe(0)
  expect(erased.proof?.secondPass.warnings.join()).toMatch(/a part of another word, and stays: look at .*event \d+/)
  expect(bytesWith(hub, [' zebedaeus@canary.example.com\\', '"zebedaeus@canary.example.com"', '41239876'])).toEqual([])
})

testOnPostgres('Addresses and names of others stay whole', async (store) => {
  await using hub = await aHubThatKnowsZeb({ store })
  await othersBuy(hub)
  await eventually(async () => {
    const { status, body } = await erase(hub)
    expect(status).toBe(200)
    expect(body.proof?.secondPass.found).toBe(0)
  })
  for (const { email } of OTHERS)
    expect((await hub.admin('people/find', { who: email, reveal: true })).body).toMatchObject({
      emails: [email],
      events: 1,
    })
})

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
