import { expect, test } from 'vitest'
import type { FoundPerson } from '../../../src/privacy/report.ts'
import { customer, endlessAisle, sale } from '../../fixtures/payloads.ts'
import { createFolder, startTestHub, type TestHub } from '../../hub.ts'
import { bodiesOf, erase, exportOf } from './families.ts'

const HOME = { lastName: 'Fjellheimsenius', address1: 'Kanarigata 77B', customerGuid: '', customerExtId: '' }
const PHONE = { phoneCountryPrefix: '47', phone: '41239876' }
const ANNA = { customerId: 4_790_001, firstName: 'Annakanari', email: 'anna@canary.example.com', ...HOME, ...PHONE }
const BERNT = { customerId: 4_790_002, firstName: 'Berntkanari', email: 'bernt@canary.example.com', ...HOME, ...PHONE }

const find = async (hub: TestHub, who: string) => (await hub.admin<FoundPerson>('people/find', { who })).body

test.each([
  { asked: ANNA, other: BERNT, share: 'a number', without: {} },
  { asked: BERNT, other: ANNA, share: 'a number', without: {} },
  { asked: ANNA, other: BERNT, share: 'their home alone', without: { phone: '' } },
  { asked: BERNT, other: ANNA, share: 'their home alone', without: { phone: '' } },
])(
  'When one buys for another with whom they share $share ($asked.firstName), then each has what is theirs, and keeps it',
  async ({ asked, other, without }) => {
    await using hub = await startTestHub()
    const [anna, bernt] = [ANNA, BERNT].map((one) => ({ ...one, ...without }))
    await hub.post('CustomerCreated', customer(anna), { eventId: 'C-1' })
    // Who is only sent something has no id there.
    const shippingAddress = { ...bernt, customerId: 0 }
    await hub.post('OmniChannelEndlessAisleOrderCreated', endlessAisle({ customer: anna, shippingAddress }))
    await hub.post('CustomerCreated', customer(bernt), { eventId: 'C-2' })

    const exported = await exportOf(hub, asked.email)
    expect(exported).toContain(asked.firstName)
    expect(exported).not.toMatch(new RegExp(`${other.firstName}|${other.email}`))

    expect((await erase(hub, asked.email)).proof?.secondPass).toMatchObject({ found: 0 })
    const order = (await bodiesOf(hub, 3))[1]
    expect(order).not.toMatch(new RegExp(`${asked.firstName}|${asked.email}`))
    for (const text of [other.firstName, other.email, HOME.lastName, HOME.address1]) expect(order).toContain(text)
    expect(order?.includes(PHONE.phone)).toBe(!('phone' in without))

    expect((await find(hub, other.email)).events, 'the order is still found by who is left').toBe(2)
    if (!('phone' in without)) expect((await find(hub, PHONE.phone)).events).toBe(2)
    expect((await erase(hub, other.email)).proof?.secondPass).toMatchObject({ found: 0 })
    expect((await bodiesOf(hub, 3)).join()).not.toMatch(/kanari|Fjellheim|41239876/i)
  },
)

test('When two customers live at one address, then the record of who is not erased stays as it is', async () => {
  await using hub = await startTestHub()
  await hub.post('CustomerCreated', customer({ ...ANNA, phone: '' }), { eventId: 'C-1' })
  await hub.post('CustomerCreated', customer({ ...BERNT, phone: '' }), { eventId: 'C-2' })
  const [, before] = await bodiesOf(hub, 2)
  expect((await erase(hub, ANNA.email)).proof?.secondPass).toMatchObject({ found: 0 })
  const [erased, after] = await bodiesOf(hub, 2)
  expect(erased).not.toMatch(/kanari|Fjellheim/i)
  expect(after).toBe(before)
})

test('When one of a family is erased, then what is read of the archive says of the others what it did', async () => {
  await using folder = await createFolder()
  await using hub = await startTestHub({ config: { retention: { archive: { folder: folder.path } } } })
  const payloads = [
    { kind: 'CustomerCreated', payload: customer(ANNA) },
    { kind: 'SaleCreated', payload: sale({ customer: { ...ANNA, customerId: 0 } }) },
    { kind: 'OmniChannelEndlessAisleOrderCreated', payload: endlessAisle({ customer: BERNT, shippingAddress: ANNA }) },
    { kind: 'CustomerCreated', payload: customer(BERNT) },
    { kind: 'SaleCreated', payload: sale({ receiptNo: '2', customer: { ...BERNT, customerId: 0 } }) },
  ]
  for (const { kind, payload } of payloads) await hub.post(kind, payload)
  const events = payloads.map(({ kind, payload }, nth) => ({
    ...{ id: nth + 1, kind, receivedAt: 0, identity: null, transportKey: null },
    body: { text: JSON.stringify(payload) },
  }))
  await erase(hub, ANNA.email)
  const { body } = await hub.admin<{ events: typeof events }>('people/archived', { events })
  const texts = body.events.map((one) => one.body.text)
  expect(texts.map((text) => /annakanari|anna@/i.test(text))).toEqual([false, false, false, false, false])
  expect(texts.slice(3)).toEqual(events.slice(3).map((one) => one.body.text))
  expect(texts[2]).toContain(BERNT.firstName)
  expect(texts[2]).toContain(BERNT.email)
})
