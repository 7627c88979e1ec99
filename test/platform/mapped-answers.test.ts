import { describe, expect, test } from 'vitest'
import { failureOf, type Given, givenPlatform } from './given.ts'

/* Where an answer has another shape than the documented one, config says where things stand. Each operation: operations/dialects.test.ts. */

const ORDER = {
  orderNo: 'W-1',
  customer: { firstName: 'Liv' },
  lines: [{ gtin: '7090000000015', price: '199.95', quantity: '1' }],
  payments: [],
}
const STORE = { storeId: '42', stockId: '12' }
const A_GUID = '8c1f3f5e-51f2-4b6e-9a3d-0f6f5b1f7a10'

describe('the answer of a platform with names of its own', () => {
  const endpoints = {
    'webhooks.list': { list: 'items', fields: { id: 'subscriptionId', event: 'event.EventName', url: 'callback' } },
    'orders.read': {
      record: 'order',
      fields: { orderNo: 'number', status: 'state', orderLines: 'lines', 'orderLines.gtin': 'article.ean' },
    },
    'orders.create': { fields: { orderId: 'created.id' } },
    'events.list': { list: 'log', fields: { webhookEventId: 'eventId' } },
    'salesLines.list': { list: 'rows', fields: { EAN: 'Barcode', Qty: 'Pieces' } },
  }

  async function given(): Promise<Given> {
    return await givenPlatform({ endpoints })
  }

  test('is read by the places that config names, in other letters too, and a row without its field is set aside', async () => {
    await using it = await given()
    const items = [
      { SubscriptionId: A_GUID, Id: 7, event: { eventName: 'SaleCreated' }, callback: 'http://127.0.0.1:9/' },
      { id: 8, event: { EventName: 'SaleCreated' }, callback: 'http://127.0.0.1:9/' },
    ]
    it.server.play({ body: { items, count: 2 } }, '/api/Webhooks')
    const { rows, rejected } = await it.platform.webhooks.list()
    expect(rows).toEqual([
      { id: A_GUID, event: 'SaleCreated', url: 'http://127.0.0.1:9/', storeId: null, record: expect.anything() },
    ])
    expect(rejected).toMatchObject([{ row: 2, why: 'has no id' }])
  })

  test('of one order is the record within it, with the parts of its lines; null there is no order', async () => {
    await using it = await given()
    const order = { number: 'W-1', state: 'Picked', lines: [{ article: { ean: '7090000000015' }, quantity: 2 }] }
    it.server.play([{ body: { order, requestId: 'r' } }, { body: { order: null } }], '/api/Omnichannel')
    expect(await it.platform.orders.read('W-1')).toMatchObject({
      orderNo: 'W-1',
      status: 'Picked',
      lines: [{ gtin: '7090000000015', quantity: '2' }],
    })
    expect(await it.platform.orders.read('W-1')).toBeNull()
  })

  test('to a write holds its id where config says, and without it the outcome is unknown', async () => {
    await using it = await given()
    it.server.play([{ body: { created: { id: A_GUID } } }, { body: { message: 'ok' } }], '/api/Omnichannel')
    expect(await it.platform.orders.create(ORDER, STORE)).toBe(A_GUID)
    const failure = await failureOf(it.platform.orders.create({ ...ORDER, orderNo: 'W-2' }, STORE))
    expect(failure).toMatchObject({ name: 'UnknownOutcomeError', code: 'no-id' })
    expect(failure.message).toContain('platform.endpoints.orders.create')
  })

  test('is read row by row where its list stands in a member of it', async () => {
    await using it = await given()
    const created = '2026-11-20T12:00:00Z'
    const log = [1, 2].map((nth) => ({
      webhookId: A_GUID,
      eventId: `e-${nth}`,
      createdDateTime: created,
      status: 'OK',
    }))
    it.server.play({ body: { more: false, log } }, `/api/WebhooksEvents/${A_GUID}`)
    const { rows } = await it.platform.events.list({ webhookId: A_GUID, from: 0, to: Date.parse(created) })
    expect(rows.map(({ webhookEventId }) => webhookEventId)).toEqual(['e-1', 'e-2'])
  })

  test('of odata is asked for by the names of its own columns', async () => {
    await using it = await given()
    const line = { STOREID_FK: 42, SaleDateTime: '2026-11-20T12:00:00', Price: '10', FullPrice: '10' }
    it.server.play({ body: { rows: [{ ...line, Barcode: '7090000000015', Pieces: '2' }] } }, '/odata/Saleslines')
    const windows = await Array.fromAsync(
      it.platform.salesLines.list({ from: '2026-11-20', to: '2026-11-20', select: [] }),
    )
    expect(windows[0]?.rows).toMatchObject([{ gtin: '7090000000015', quantity: '2' }])
    const select = new URL(it.server.asked[0]?.line.split(' ')[1] ?? '', it.server.url).searchParams.get('$select')
    expect(select).toBe('STOREID_FK,SaleDateTime,Pieces,Barcode,Price,FullPrice')
  })
})

test('An answer that cannot be read names the keys of config that say where things stand', async () => {
  await using it = await givenPlatform({ endpoints: { 'stores.list': { list: 'data.rows' } } })
  it.server.play({ body: { rows: [] } }, '/api/Stores')
  it.server.play({ body: { subscriptionId: 1 } }, '/api/Webhooks')
  for (const [call, operation, why] of [
    [it.platform.stores.list(), 'stores.list', 'there is no list in data.rows'],
    [it.platform.webhooks.list(), 'webhooks.list', 'subscription 1 has no event'],
  ] as const) {
    const { code, message } = await failureOf(call)
    expect(code).toBe('unexpected-answer')
    expect(message).toContain(
      `${why}. If it stands elsewhere in the answer: list, record or fields of platform.endpoints.${operation}`,
    )
  }
})

test('Places of an answer that nobody reads are refused at start, by name', async () => {
  const failure = await failureOf(
    givenPlatform({
      endpoints: {
        'webhooks.delete': { record: 'data' },
        'orders.read': { list: 'orders' },
        'webhooks.list': { fields: { evnt: 'EventName' } },
        'stock.adjust': { fields: { id: 'x' } },
      },
    }),
  )
  expect(failure.message).toContain('platform.endpoints.webhooks.delete.record: expected nothing')
  expect(failure.message).toContain('platform.endpoints.orders.read.list: expected nothing')
  expect(failure.message).toContain(
    'platform.endpoints.webhooks.list.fields.evnt: expected one of id, event, url, storeId; did you mean "event"?',
  )
  expect(failure.message).toContain('platform.endpoints.stock.adjust.fields.id: expected nothing')
})
