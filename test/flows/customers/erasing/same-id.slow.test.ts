import { expect, test } from 'vitest'
import type { ErasedPerson } from '../../../../src/admin/data-subjects.ts'
import { createPlatform } from '../../../../src/platform/platform.ts'
import type { FoundPerson } from '../../../../src/privacy/report.ts'
import { asking } from '../../../cli/run.ts'
import { onlyIn } from '../../../dialect.ts'
import { eventually } from '../../../eventually.ts'
import { customer, sale } from '../../../fixtures/payloads.ts'
import { KEYS, openCounter } from '../../../http/submissions/given.ts'
import type { TestHub } from '../../../hub.ts'
import { keptIn, startTestHub } from '../../../hub.ts'
import { settled } from '../../days/open-store.ts'
import { aHubThatKnowsZeb, CANARIES, erase, ZEB } from '../zeb.ts'

test('When an own system has the id of an erased person for somebody else, then whoever that is stays in the directory', async () => {
  await using hub = await aHubThatKnowsZeb()
  const nora = { email: 'nora@example.com', firstName: 'Nora', lastName: 'Vik' }
  await submit(hub, { extId: String(ZEB.customerId), ...nora })
  await eventually(async () => expect(await inDirectory(hub, nora.email)).toMatchObject([nora]))

  const { proof } = (await erase(hub)).body

  expect(await inDirectory(hub, nora.email)).toMatchObject([nora])
  expect(await inDirectory(hub, ZEB.email.toLowerCase())).toEqual([])
  expect(proof?.secondPass.found).toBe(0)
})

test('When an own system’s id of a customer is their address, then it is masked as the address is', async () => {
  await using hub = await aHubThatKnowsZeb()
  const customer = {
    ...sale().customer,
    customerId: 31,
    email: 'kari6@example.com',
    customerExtId: 'kari6@example.com',
  }
  await hub.post('SaleCreated', sale({ receiptNo: '6201', customer }), { eventId: 'K-6' })
  await eventually(async () => {
    const { body } = await hub.admin<FoundPerson>('people/find', { who: 'kari6@example.com' })
    expect(body.customerIds).toEqual(['31', 'k…@example.com'])
  })
  expect((await asking(hub)('people', 'find', '31')).out).not.toContain('kari6')
  const tried = await hub.admin<ErasedPerson>('people/erase', { who: '31', dryRun: true })
  expect(JSON.stringify(tried.body)).not.toContain('kari6')
  expect((await asking(hub)('people', 'find', '31', '--reveal')).out).toContain('kari6@example.com')
})

function inDirectory(hub: TestHub, email: string) {
  return hub.hub.storage.findCustomers({ type: 'email', email })
}

async function submit(hub: TestHub, customer: object): Promise<void> {
  const { key } = (await hub.admin<{ key: string }>('keys', { system: 'crm2', may: 'customers' })).body
  const said = await hub.ask('/v1/customers?directoryOnly=true', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'of Nora' },
    body: JSON.stringify(customer),
  })
  expect(said.status).toBeLessThan(300)
}

onlyIn(['facts'], 'it asks the platform as frontsystems-v2 itself')(
  'When an own system has the platform’s id of an erased person for somebody else, then the platform deletes the person, and nobody else',
  async () => {
    await using counter = await openCounter({}, async () => ({ preset: 'frontsystems-v2' }))
    await using portal = createPlatform({ preset: 'frontsystems-v2', baseUrl: counter.platform.url, ...KEYS })
    const { hub, platform } = counter
    const there = async (email: string) => (await Array.fromAsync(portal.customers.search({ email }))).length
    const { customerId } = platform.actions.createCustomer({ email: 'per@example.com', firstName: 'Per' })
    await hub.post(
      'CustomerCreated',
      customer({ customerId: Number(customerId), email: 'per@example.com', firstName: 'Per' }),
    )
    await counter.submit('customers', { extId: String(customerId), email: 'nora@example.com', firstName: 'Nora' })
    await settled(hub)
    expect([await there('per@example.com'), await there('nora@example.com')]).toEqual([1, 1])

    const { notices, notified } = (await erase(hub, 'per@example.com')).body
    expect(notices).toMatchObject([{ destination: 'platform' }])
    expect(notified.find(({ destination }) => destination === 'platform')?.theirIds).toEqual([])
    await settled(hub)
    expect([await there('per@example.com'), await there('nora@example.com')]).toEqual([0, 1])
    expect(await hub.hub.storage.links('platform', 'customer', [String(customerId)])).toHaveLength(1)
  },
)

/* What says who somebody is stands in more fields than the specification shows. */

const ULF = { customerId: 4242, email: 'ulf@canary.example.com', firstName: 'Ulf', lastName: 'Zubrowski' }

test('When an order says where it is handed over to whom, then whoever is erased is taken out of that, too', async () => {
  await using hub = await startTestHub()
  const deliveryAddress = { firstName: 'Ulfine', lastName: 'Kvakk', address1: 'Hemmeligveien 99', comment: 'code 4711' }
  const fulfillmentLocation = { stockId: 1, stockName: 'Oslo', posId: 1, personId: 1, deliveryAddress }
  const order = { orderNo: 'W-1', id: 'aaaaaaaa-2222-4333-8444-bbbbbbbbbbb1', status: 'Picked', orderLines: [] }
  await hub.post('OmniChannelOrderUpdated', { order: { ...order, customer: ULF, fulfillmentLocation } })
  expect((await erase(hub, ULF.email)).body.proof).toMatchObject({ events: 1, secondPass: { found: 0 } })
  const [{ body } = { body: '' }] = keptIn(hub)
  expect(String(body)).not.toMatch(/ulfine|kvakk|hemmelig|4711/i)
  expect(JSON.parse(String(body)).order.fulfillmentLocation).toMatchObject({ stockName: 'Oslo', posId: 1, personId: 1 })
})

/** By the platform's public documentation, and by field models of shops and CRMs. */
const MORE = {
  ...{ despcription: 'Pelikan', message: 'Pelikan', password: 'Pelikan', pin: 'Pelikan', picture: 'UGVsaWthbg==' },
  ...{ altPersonId: 'Pelikan', extProperties: '{"pet":"Pelikan"}', tags: ['Pelikan', 'golf'] },
  ...{ middleName: 'Pelikan', dateOfBirth: '1981-02-03', mobileNo: '90909090', telephone: '22334455' },
  ...{ first_name: 'Pelikan', street: ['Pelikan 9', 'Pelikan'], membershipNo: 'Pelikan' },
}

test('When a customer has fields that the specification does not show, then they are erased as well, and found by', async () => {
  await using hub = await startTestHub({
    config: { lookups: { customers: { tokens: ['t'.repeat(20)], countries: ['NO'] } } },
  })
  await hub.post('CustomerCreated', { ...customer(ULF), ...MORE })
  expect((await hub.admin<FoundPerson>('people/find', { who: '90909090' })).body.events).toBe(1)
  expect((await erase(hub, ULF.email)).body.proof).toMatchObject({ events: 1, secondPass: { found: 0 } })
  expect(String(keptIn(hub)[0]?.body)).not.toMatch(/pelikan|UGVsaWthbg|golf|1981|90909090|22334455/i)
})

test('When a customer has an offer, then its name is not theirs, and stays where others have it', async () => {
  await using hub = await startTestHub()
  const promotionsOffers = [{ id: 1, name: 'Summer Sale', description: 'ten percent off', couponCode: 'S10' }]
  await hub.post('CustomerCreated', { ...customer(ULF), promotionsOffers })
  const bo = { ...sale().customer, customerId: 5, email: 'bo@example.com', firstName: 'Bo', customerExtId: '' }
  await hub.post('SaleCreated', sale({ customer: bo, comment: `Summer Sale: of ${ULF.email}` }))
  const { pseudonym } = (await erase(hub, ULF.email)).body.proof ?? {}
  expect(keptIn(hub).map(({ body }) => JSON.parse(String(body)).comment)).toContain(
    `Summer Sale: of ${pseudonym}@erased.invalid`,
  )
})

test('When payloads that speak of a person are nested by thousands of levels, then the person is found, handed out and erased all the same', async () => {
  await using hub = await startTestHub()
  await hub.post('CustomerCreated', customer(ZEB))
  for (const levels of [1_500, 2_000, 2_500, 3_000]) {
    const extra = `${'{"a":'.repeat(levels)}"For ${ZEB.email}"${'}'.repeat(levels)}`
    await hub.post('CustomerUpdated', withExtra(customer({ ...ZEB, city: `${levels}` }), extra))
    await hub.post('SaleCreated', withExtra(sale({ receiptNo: `${levels}`, comment: ZEB.email }), extra))
  }

  for (const act of ['find', 'export'])
    expect(await hub.admin(`people/${act}`, { who: ZEB.email, reason: 'asked' })).toMatchObject({ status: 200 })
  const { status, body } = await erase(hub)

  expect(status).toBe(200)
  expect(body.proof?.secondPass.found).toBe(0)
  const left = keptIn(hub).filter(({ body }) => CANARIES.some((text) => body.includes(text)))
  expect(left).toEqual([])
})

/** With one field more, as it is written. */
function withExtra(payload: object, extra: string): string {
  return JSON.stringify(payload).replace(/\}$/, `,"extra":${extra}}`)
}
