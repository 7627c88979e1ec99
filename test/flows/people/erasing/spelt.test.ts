import { domainToASCII } from 'node:url'
import { expect, test } from 'vitest'
import type { ErasedPerson } from '../../../../src/admin/people/erasing.ts'
import { eventually } from '../../../eventually.ts'
import { sale } from '../../../fixtures/payloads.ts'
import { deliveriesOf, keptIn, type TestHub } from '../../../hub.ts'
import { startSink } from '../../../sink.ts'
import { NO_SERVER, SERVER, temporarySchema } from '../../../store/postgres/schema.ts'
import { aHubThatKnowsZeb, ZEB } from '../zeb.ts'

/** What others say of the person, as tills, shops and people write it. */
const SPELT = [
  'ZEBEDÆUS QVISTGAARDSEN',
  'Qvistgaardsen, Zebedæus',
  'ZEBEDAEUS@CANARY.EXAMPLE.COM',
  'ZebedAeus@canary.Example.com',
  'q=Zebed%C3%A6us+Qvistgaardsen',
  'q=%20zebed%c3%a6us%20qvistgaardsen&',
  'email%3Azebedaeus%40canary.example.com',
  '<Name>Zebed&#230;us Qvistgaardsen</Name>',
  '<Name>Zebed&#xE6;us Qvistgaardsen</Name>',
  '{"name":"Zebed\\u00e6us Qvistgaardsen","mail":"\\nzebedaeus@canary.example.com"}',
  '412 39 876',
  '+47 41 23 98 76',
  '004741239876',
  '412-39-876',
  '+47.41.23.98.76',
  '<Name>Zebed&aelig;us Qvistgaardsen</Name>',
  '&lt;Name&gt;ZEBED&AELIG;US QVISTGAARDSEN&lt;/Name&gt;',
  'Qvistgaardsen Zebed=C3=A6us',
  'KANARIGATA 77B',
  'Kanarigata+77b',
  'Zebedæus  Qvistgaardsen',
  'Zebedæus\nQvistgaardsen',
  'ZEBEDÆUS\u00a0QVISTGAARDSEN',
  '{"to":"Qvistgaardsen,\\nZebedæus"}',
  'Kanarigata  77B',
  '4123 9876',
]
const LEFT = /zebed|qvist|canary|kanarigata|412 ?39 ?876|41 23 98 76|4123 9876/i

test('When others speak of a forgotten person in capitals, escaped, or with a number in groups, then it is taken out, and theirs stays', async () => {
  await using sink = await startSink()
  await using hub = await aHubThatKnowsZeb(sink.url)
  await allBuy(hub)
  const { proof } = (await erase(hub)).body
  const said = keptIn(hub).flatMap(({ transportKey, body }) =>
    transportKey?.startsWith('S-') ? [JSON.parse(String(body))] : [],
  )
  expect(said.map(({ comment }) => comment).filter((comment) => LEFT.test(comment))).toEqual([])
  expect(said.map(({ customer }) => customer.email)).toEqual(SPELT.map((_, nth) => `kari${nth}@example.com`))
  expect(proof?.secondPass.found).toBe(0)
})

test('When a name is written by two signs a letter, or with a quote, and an address by its domain’s letters, then all are one', async () => {
  await using sink = await startSink()
  await using hub = await aHubThatKnowsZeb(sink.url)
  const ase = {
    ...ZEB,
    customerId: 88,
    firstName: 'Åse',
    lastName: "O'Brien",
    email: 'aase@blåbær.no',
    phone: '41239877',
  }
  await bought(hub, sale({ receiptNo: '4000', customer: { ...ase, customerExtId: '' } }), 'A-1')
  const spelt = [
    '\u0041\u030ASE O\u2019BRIEN',
    'A\u030Ase O&#039;Brien',
    'ÅSE O&apos;BRIEN',
    'Åse O’Brien',
    '&Aring;se O&#039;Brien',
    "A=CC=8Ase O'Brien",
    'O&rsquo;Brien, &Aring;se',
    `550 <aase@${domainToASCII('blåbær.no')}>`,
  ]
  for (const [nth, comment] of spelt.entries())
    await bought(hub, sale({ ...kari(nth), receiptNo: `41${nth}`, comment }), `S-${nth}`)
  const asked = { who: 'aase@blåbær.no', reason: 'asked' }
  expect((await hub.admin<ErasedPerson>('people/erase', asked)).body.proof?.secondPass.found).toBe(0)
  const said = keptIn(hub).flatMap(({ transportKey, body }) =>
    transportKey?.startsWith('S-') ? [JSON.parse(String(body)).comment] : [],
  )
  expect(said.join()).not.toMatch(/brien|xn--/i)
})

test.skipIf(SERVER === undefined)(
  `When it is so on PostgreSQL (${NO_SERVER} otherwise), then it is taken out there, too`,
  async () => {
    await using sink = await startSink()
    await using schema = await temporarySchema()
    await using hub = await aHubThatKnowsZeb(sink.url, { store: { url: schema.url } })
    await allBuy(hub)
    await eventually(async () => {
      const { status, body } = await erase(hub)
      expect(status).toBe(200)
      expect(body.proof?.secondPass.found).toBe(0)
    })
    const ids = Array.from({ length: 40 }, (_, nth) => nth + 1)
    const bodies = (await hub.hub.store.bodies(ids)).map(({ body }) => String(Buffer.from(body)))
    expect(bodies.length).toBeGreaterThan(20)
    expect(bodies.filter((body) => LEFT.test(body))).toEqual([])
  },
)

test('When a name stands in one field, then it is looked for like one of two, and initials that a guest typed are not', async () => {
  await using sink = await startSink()
  await using hub = await aHubThatKnowsZeb(sink.url)
  const guest = { customerName: 'Ola Berg', customerEmail: 'ob@example.com', customer: { customerId: 0 } }
  await bought(hub, { ...sale({ receiptNo: '6101' }), ...guest }, 'C-1')
  const typed = { ...sale().customer, customerId: 41, email: 'ab@example.com', firstName: 'A', lastName: 'B' }
  await bought(hub, sale({ receiptNo: '6103', customer: { ...typed, customerExtId: '' } }), 'C-2')
  await bought(hub, sale({ ...kari(1), receiptNo: '6102', comment: 'For Ola Berg, sizes A B' }), 'S-1')
  const proofs = []
  for (const who of ['ob@example.com', 'ab@example.com'])
    proofs.push((await hub.admin<ErasedPerson>('people/erase', { who, reason: 'asked' })).body.proof)
  const kept = keptIn(hub).find(({ transportKey }) => transportKey === 'S-1')
  expect(JSON.parse(String(kept?.body)).comment).toBe(`For ${proofs[0]?.pseudonym}, sizes A B`)
  expect(proofs.map((proof) => proof?.secondPass.found)).toEqual([0, 0])
})

test('When a receipt of theirs has their number in any groups, then it is taken out, and numbers that are longer stay', async () => {
  await using sink = await startSink()
  await using hub = await aHubThatKnowsZeb(sink.url)
  const written = [
    '4123 9876',
    '(412) 39-876',
    '+4741 239 876',
    '4 1 2 3 9 8 7 6',
    '412\u00a039\u00a0876',
    '412/398 76',
  ]
  const receiptFormatted = [...written, '141239876', '12.4123.98765'].map((text) => `<Line>${text}</Line>`).join('')
  const own = { customer: { ...ZEB, customerExtId: '' }, receiptFormatted }
  await bought(hub, sale({ receiptNo: '6201', ...own }), 'S-1')
  await erase(hub)
  const kept = keptIn(hub).find(({ transportKey }) => transportKey === 'S-1')
  const [, ...left] = JSON.parse(String(kept?.body)).receiptFormatted.split('<Line>')
  expect(left.join().replaceAll(/9990*\d{8}/g, '#')).toBe(
    `#</Line>,(#</Line>,+#</Line>,#</Line>,#</Line>,#</Line>,141239876</Line>,12.4123.98765</Line>`,
  )
})

const erase = (hub: TestHub) => hub.admin<ErasedPerson>('people/erase', { who: ZEB.email, reason: 'asked' })

function kari(nth: number) {
  const email = `kari${nth}@example.com`
  const own = { customerId: 700 + nth, email, firstName: 'Kari', lastName: 'Lie', phone: `910000${nth + 10}` }
  return { customer: { ...sale().customer, ...own, customerExtId: '' } }
}

async function allBuy(hub: TestHub): Promise<void> {
  for (const [nth, comment] of SPELT.entries())
    await bought(hub, sale({ ...kari(nth), receiptNo: `30${nth}`, comment }), `S-${nth}`)
}

async function bought(hub: TestHub, payload: object, eventId: string): Promise<void> {
  await hub.post('SaleCreated', payload, { eventId })
  await eventually(async () => {
    const open = (await deliveriesOf(hub)).filter(({ state }) => ['waiting', 'claimed'].includes(state))
    expect(open).toEqual([])
  })
}
