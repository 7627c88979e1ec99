import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CustomerRecord } from '../../../src/domain/customers/customer-record.ts'
import type { CustomersPort, OrdersPort, Ports } from '../../../src/ports/ports.ts'
import { pushHere } from '../../cli/push/kit.ts'
import { eventually } from '../../eventually.ts'
import { customer, endlessAisle, sale } from '../../fixtures/payloads.ts'
import { startTestHub, type TestHub } from '../../hub.ts'
import { deliveriesOf, GIVEN } from '../../queue/kit/kit.ts'
import { bearer, order, TOKEN } from './app.ts'

const lookups = { customers: { tokens: [TOKEN] } }

interface Seen {
  customerId: number | null
  customerExtId: string | null
  firstName: string | null
  city: string | null
}

const KARI = { extId: 'C-1', email: 'kari@example.com', firstName: 'Kari', phone: '912 34 567', countryCode: 'NO' }

test('when customers are changed, buy and are imported, then the POS finds each once, by e-mail and by phone', async () => {
  await using hub = await startTestHub({ config: { lookups } })
  const kari = {
    customerId: 7,
    email: 'Kari@Example.com',
    firstName: 'Kari',
    phoneCountryPrefix: '47',
    phone: '91234567',
  }
  await hub.post('CustomerUpdated', customer({ ...kari, city: 'Bergen' }))
  await eventually(async () => expect(await find(hub, 'kari@example.com')).toMatchObject([{ customerId: 7 }]))

  // A sale of long ago comes again: it does not bring back what was then. What the CRM says is news.
  const per = { customerId: 8, email: '', firstName: 'Per', phoneCountryPrefix: '46', phone: '070-123 45 67' }
  await hub.post('SaleCreated', sale({ receiptNo: '1', customer: { ...kari, address: { city: 'Oslo' } } }))
  await hub.post('SaleCreated', sale({ receiptNo: '2', customer: per }))
  const { body } = await submit(hub, { ...KARI, firstName: 'Karianne' }, '?directoryOnly=true')
  expect(body).toMatchObject({ accepted: 1 })
  await settled(hub, 4)
  for (const asked of ['KARI@example.com', '912 34 567', '+47 91 23 45 67'])
    expect(await find(hub, asked)).toMatchObject([
      { customerId: 7, customerExtId: 'C-1', firstName: 'Karianne', city: 'Bergen' },
    ])
  expect(await find(hub, '0701234567')).toMatchObject([{ customerId: 8, firstName: 'Per' }])
})

test('when a file of customers is pushed to the directory, then the POS finds them, and the platform is not asked', async () => {
  const platform = { baseUrl: 'http://127.0.0.1:9', apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
  await using hub = await startTestHub({ config: { lookups, platform } })
  const file = join(hub.folder, 'customers.csv')
  await writeFile(
    file,
    'extId;email;firstName;phone;countryCode\nC-1;;Kari;912 34 567;NO\nC-2;ola@example.com;Ola;;NO\n',
  )
  const env = { TILLBRIDGE_URL: hub.url, TILLBRIDGE_KEY: await keyOf(hub, 'crm') }
  const ran = await pushHere(['customers', file, '--directory'], env)
  expect(ran).toMatchObject({ code: 0, out: 'Submission 1: 2 taken, 0 refused.\nDeliveries: 2 delivered.\n' })
  expect(await find(hub, '0047 912 34 567')).toMatchObject([{ customerExtId: 'C-1' }])
  expect(await find(hub, 'OLA@example.com')).toMatchObject([{ customerExtId: 'C-2' }])
  expect((await deliveriesOf(hub)).map(({ destination }) => destination)).toEqual(['directory', 'directory'])
})

test('when a CRM submitted a customer, then the same from the platform does not come back to it, and a change does', async () => {
  const { port, upserted } = createCrm()
  await using hub = await startTestHub({ destinations: { crm: through({ customers: port }) } })
  await submit(hub, { ...KARI, city: 'Oslo', postalCode: '0155', address: 'Storgata 1' })
  const same = {
    customerId: 7,
    customerExtId: 'C-1',
    email: 'kari@example.com',
    firstName: 'Kari',
    lastName: '',
    companyName: null,
    address1: 'Storgata 1',
    postalCode: '0155',
    city: 'Oslo',
    countryCode: 'NO',
    phoneCountryPrefix: '47',
    phone: '91234567',
  }

  await hub.post('CustomerUpdated', customer(same), { eventId: 'e-1' })
  await settled(hub, 1)
  expect(upserted).toEqual([])
  await hub.post('CustomerUpdated', customer({ ...same, city: 'Bergen' }), { eventId: 'e-2' })

  await eventually(() => expect(upserted).toHaveLength(1))
  expect(upserted).toMatchObject([{ customerId: '7', extId: 'C-1', city: 'Bergen', phone: '+4791234567' }])
  await settled(hub, 2)
  expect(upserted).toHaveLength(1)
})

test('when a number is typed in small letters or with a #, then the order is found, of a POS and of the shop, and noted as its own', async () => {
  const asked: [number: string, theirId: string | undefined][] = []
  const shop: OrdersPort = {
    create: async () => ({ links: [{ kind: 'order', id: 'EA-77', theirId: '99' }] }),
    async search(number, { theirIds: [theirId] = [] }) {
      asked.push([number, theirId])
      return number === 'B-1001' || theirId === '99' ? [order({ number })] : []
    },
  }
  await using hub = await startTestHub({
    destinations: { shop: through({ orders: shop }) },
    config: { lookups: { orders: { tokens: [TOKEN], budget: '5s' } } },
  })
  await hub.post('OmniChannelEndlessAisleOrderCreated', endlessAisle())
  await settled(hub, 1)
  const search = async (typed: string) => {
    const path = `/api/orders/search?query=${encodeURIComponent(typed)}`
    const { status, body } = await hub.ask<{ orderNo?: string }>(path, { headers: bearer(TOKEN) })
    return [status, body.orderNo ?? null]
  }

  for (const typed of ['EA-77', 'ea-77', '#EA-77', '# ea-77']) expect(await search(typed)).toEqual([200, 'EA-77'])
  expect(asked).toEqual(Array(4).fill(['EA-77', '99']))
  for (const typed of ['B-1001', '#b-1001']) expect(await search(typed)).toEqual([200, 'B-1001'])
  expect(await search('b-1002')).toEqual([404, null])
  expect(asked.slice(4).map(([number]) => number)).toEqual('B-1001 #b-1001 b-1001 B-1001 b-1002 B-1002'.split(' '))
  // The POS has its answer before the question is noted.
  await eventually(async () => {
    const { timeline } = (await hub.admin<{ timeline: { type: string }[] }>('orders/EA-77')).body
    expect(timeline.filter(({ type }) => type === 'lookup')).toHaveLength(4)
  })
})

function createCrm(...found: CustomerRecord[]) {
  const upserted: CustomerRecord[] = []
  const port: CustomersPort = {
    async upsert(one) {
      upserted.push(one)
      return {}
    },
    search: async () => found,
  }
  return { port, upserted }
}

function through(ports: Ports) {
  return { adapter: GIVEN, ports }
}

async function find(hub: TestHub, query: string): Promise<Seen[]> {
  const path = `/api/customers/search?query=${encodeURIComponent(query)}`
  return (await hub.ask<Seen[]>(path, { headers: bearer(TOKEN) })).body
}

async function keyOf(hub: TestHub, system: string): Promise<string> {
  return (await hub.admin<{ key: string }>('keys', { system, may: 'customers' })).body.key
}

async function submit(hub: TestHub, body: object, query = '') {
  const headers = {
    authorization: `Bearer ${await keyOf(hub, 'crm')}`,
    'content-type': 'application/json',
    'idempotency-key': 'customers-1',
  }
  return await hub.ask(`/v1/customers${query}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** Waits until so many deliveries are there, and none of them is still to be made. */
async function settled(hub: TestHub, count: number): Promise<void> {
  await eventually(async () => {
    const states = (await deliveriesOf(hub)).map(({ state }) => state)
    expect(states).toHaveLength(count)
    expect(states).not.toEqual(expect.arrayContaining([expect.stringMatching(/waiting|claimed/)]))
  })
}
