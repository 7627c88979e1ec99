import { expect, test } from 'vitest'
import { sale } from '../../../fixtures/payloads.ts'
import { keptIn, type TestHub } from '../../../hub.ts'
import { aHubThatKnowsZeb, bought, erase, ZEB } from '../zeb.ts'

const CALVIN = person({ customerId: 9001, email: 'ck@example.com', firstName: 'Calvin', lastName: 'Klein' })
const JEANS = line({ brand: 'Calvin Klein', name: 'Jeans Calvin Klein 501' })

test('When an erased person is called like a brand, then the articles of all stay, and what is said of the person goes', async () => {
  await using hub = await aHubThatKnowsZeb()
  await boughtByBoth(hub)
  const [ofKari, ofCalvin] = [bodyOf(hub, 'K-1'), bodyOf(hub, 'C-1')]

  const { proof } = (await erase(hub, 'ck@example.com')).body

  expect(bodyOf(hub, 'K-1')).toEqual(ofKari)
  const left = bodyOf(hub, 'C-1')
  expect(left).toEqual({ ...ofCalvin, customer: left.customer, comment: left.comment })
  expect(JSON.stringify([left.customer, left.comment])).not.toMatch(/calvin|klein/i)
  expect(bodyOf(hub, 'K-2').comment, 'a name that somebody else wrote is an operator’s to look at').toBe(
    'For Calvin Klein',
  )
  expect(proof?.secondPass.found).toBe(0)
})

test('When an erased person is called like what is paid with, an article or a kind of rows, then their sales stay as they are but for them', async () => {
  await using hub = await aHubThatKnowsZeb()
  const rose = person({ customerId: 9002, email: 'rose@example.com', firstName: 'Rose', lastName: 'Cash' })
  const ann = person({ customerId: 9003, email: 'ann@example.com', firstName: 'Ann', lastName: 'Sale' })
  const paid = { ...(sale().paymentLines[0] as object), type: 'Cash' }
  const ring = line({ name: 'Rose ring' })
  const store = { ...sale().store, salesPerson: 'Ann Rose Lie' }
  const both = { paymentLines: [paid], orderLines: [ring], store }
  await bought(hub, sale({ receiptNo: '5003', customer: rose, ...both }), 'C-1')
  await bought(hub, sale({ receiptNo: '5004', customer: ann, ...both }), 'C-2')
  const before = ['C-1', 'C-2'].map((key) => keptOf(hub, key))
  for (const who of ['rose@example.com', 'ann@example.com']) await erase(hub, who)
  expect(['C-1', 'C-2'].map((key) => keptOf(hub, key))).toEqual(before)
  expect(['C-1', 'C-2'].map((key) => bodyOf(hub, key).customer.email).join()).not.toContain('example.com')
})

test('When somebody’s order, receipt or article has the digits of an erased number, then it keeps them, and a note of it does not', async () => {
  await using hub = await aHubThatKnowsZeb()
  const numbered = { receiptNo: '41239876', orderNo: '41239876', orderLines: [line({ gtin: '41239876' })] }
  await bought(hub, sale({ ...kari(3), ...numbered }), 'order-41239876')
  await bought(hub, sale({ ...kari(4), receiptNo: '5006', comment: 'ring 41239876' }), 'K-4')
  const before = keptOf(hub, 'order-41239876')

  const { proof } = (await erase(hub, ZEB.email)).body

  expect(keptOf(hub, 'order-41239876')).toEqual(before)
  expect(bodyOf(hub, 'K-4').comment).toMatch(/^ring 99900\d+$/)
  expect(proof?.secondPass.found).toBe(0)
  expect(proof?.secondPass.warnings.join()).toMatch(/stays: look at .*event \d+/)
})

test('When others live in a part of an erased address, or a store has it, then theirs stays whole', async () => {
  await using hub = await aHubThatKnowsZeb()
  const address = { ...(sale().customer.address as object), address1: 'Kanarigata 77B, H0201' }
  const store = { ...sale().store, address: { ...(sale().store.address as object), address1: 'Kanarigata 77B' } }
  const { customer } = kari(4)
  await bought(hub, sale({ receiptNo: '6001', customer: { ...customer, address }, store }), 'K-4')
  const before = bodyOf(hub, 'K-4')

  const { proof } = (await erase(hub, ZEB.email)).body

  expect(bodyOf(hub, 'K-4')).toEqual(before)
  expect(proof?.secondPass.found).toBe(0)
})

async function boughtByBoth(hub: TestHub): Promise<void> {
  const printed = '<Line>1 Jeans Calvin Klein 501</Line><Line>Calvin Klein</Line>'
  await bought(hub, sale({ ...kari(1), receiptNo: '5001', orderLines: [JEANS], receiptFormatted: printed }), 'K-1')
  const said = { receiptNo: '5002', orderLines: [JEANS], comment: 'Calvin Klein fetches it' }
  await bought(hub, sale({ ...said, customer: CALVIN }), 'C-1')
  await bought(hub, sale({ ...kari(2), receiptNo: '5005', comment: 'For Calvin Klein' }), 'K-2')
}

function person(its: object) {
  return { ...sale().customer, phoneCountryPrefix: '47', phone: '45454545', customerExtId: '', ...its }
}

function kari(nth: number) {
  const own = { customerId: 700 + nth, email: `kari${nth}@example.com`, firstName: 'Kari', lastName: 'Lie' }
  return { customer: person({ ...own, phone: `910000${nth + 10}` }) }
}

function line(its: object) {
  return { ...(sale().orderLines[0] as object), ...its }
}

function bodyOf(hub: TestHub, key: string) {
  return JSON.parse(String(keptIn(hub).find(({ transportKey }) => transportKey === key)?.body))
}

/** What is kept of an event, but for the person and their note. */
function keptOf(hub: TestHub, key: string) {
  const { headers: _headers, size: _size, ...kept } = keptIn(hub).find(({ transportKey }) => transportKey === key) ?? {}
  const { customer: _customer, comment: _comment, ...body } = bodyOf(hub, key)
  return { ...kept, body }
}
