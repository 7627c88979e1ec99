import { describe, expect, test } from 'vitest'
import { hasPlaceFor } from '../../src/platform/http/endpoint.ts'
import { type OperationName, PRESETS } from '../../src/platform/http/endpoints.ts'
import type { EventQuery } from '../../src/platform/platform.ts'
import { createPlatform, keysOf } from '../../src/platform/platform.ts'
import { API_KEY, failureOf, givenAnswer, givenPlatform, SUBSCRIPTION_KEY } from './given.ts'

const noon = Date.UTC(2026, 10, 20, 12, 0, 0, 250)
const query: EventQuery = { webhookId: 'w-1', from: noon, to: noon, success: false, includePayload: true }

describe('what is sent', () => {
  test('When anything is asked, then both keys go along, and JSON is asked for', async () => {
    await using given = await givenAnswer({ body: [] })
    await given.platform.stores.list()
    expect(given.server.asked).toMatchObject([
      {
        line: 'GET /api/Stores',
        headers: { 'x-api-key': API_KEY, 'ocp-apim-subscription-key': SUBSCRIPTION_KEY, accept: 'application/json' },
        body: '',
      },
    ])
    expect(given.server.asked[0]?.headers).not.toHaveProperty('x-storeid')
    expect(given.server.asked[0]?.headers).not.toHaveProperty('content-type')
  })

  test('When a subscription is created, changed and deleted, then exactly its fields are sent', async () => {
    await using given = await givenAnswer({ status: 200 })
    const { webhooks } = given.platform
    const url = 'https://hub.example.com/webhooks/SaleCreated?token=t'
    await webhooks.create({ event: 'SaleCreated', url })
    await webhooks.create({ event: 'SaleCreated', url, storeId: '1012' })
    await webhooks.update({ id: 'w-1', event: 'SaleCreated', url, storeId: null, record: { retired: false } })
    await webhooks.delete('w/1')
    expect(given.server.asked.map(({ line, body }) => [line, body && JSON.parse(body)])).toEqual([
      ['POST /api/Webhooks', { event: 'SaleCreated', url }],
      ['POST /api/Webhooks', { event: 'SaleCreated', url, storeId: 1012 }],
      ['PUT /api/Webhooks/w-1', { id: 'w-1', event: 'SaleCreated', url, storeId: null }],
      ['DELETE /api/Webhooks/w%2F1', ''],
    ])
    expect(given.server.asked[0]?.headers['content-type']).toBe('application/json')
  })

  test.each(['', '.', '..'])('When an id is %j, then nothing is sent, for it would lead elsewhere', async (id) => {
    await using given = await givenPlatform()
    expect(await failureOf(given.platform.webhooks.delete(id))).toMatchObject({ code: 'invalid-request' })
    expect(given.server.asked).toEqual([])
  })
})

describe('the two dialects of the event log', () => {
  test('When the spec is spoken, then days are sent that hold the window in any zone, and success', async () => {
    await using given = await givenAnswer({ body: [] })
    await given.platform.events.list(query)
    expect(given.server.asked[0]?.line).toBe(
      'GET /api/WebhooksEvents/w-1?from=2026-11-20&to=2026-11-22&success=false&includePayload=true',
    )
  })

  test('When the public API is spoken, then times are sent, and statuses only for good ones', async () => {
    await using given = await givenAnswer({ body: [] }, { preset: 'frontsystems-v2' })
    await given.platform.events.list(query)
    await given.platform.events.list({ webhookId: 'w-1', from: noon, to: noon, success: true })
    const window = 'from=2026-11-20%2000%3A00%3A00.2&to=2026-11-21%2002%3A00%3A00.3'
    expect(given.server.asked.map(({ line }) => line)).toEqual([
      `GET /api/WebhooksEvents/w-1?${window}&includePayload=true`,
      `GET /api/WebhooksEvents/w-1?${window}&statuses=OK`,
    ])
  })
})

describe('a log whose clock is known', () => {
  const asked = { webhookId: 'w-1', from: noon, to: noon, sameClock: true }

  test('When the public API is spoken, then what is wanted is asked for and nothing besides', async () => {
    await using given = await givenAnswer({ body: [] }, { preset: 'frontsystems-v2' })
    await given.platform.events.list(asked)
    const window = 'from=2026-11-20%2012%3A00%3A00.2&to=2026-11-20%2012%3A00%3A00.3'
    expect(given.server.asked[0]?.line).toBe(`GET /api/WebhooksEvents/w-1?${window}`)
  })
})

describe('what an operator may change', () => {
  test('When single endpoints are overridden, then these change and no others', async () => {
    await using given = await givenPlatform({
      endpoints: {
        'events.resend': { method: 'PUT', path: '/api/ResendWebhookEvent/{webhookEventId}' },
        'webhooks.create': { casing: 'pascal', headers: { 'X-Key': 'apiKey' } },
      },
    })
    given.server.play({ status: 200 })
    await given.platform.events.resend({ webhookId: 'w-1', webhookEventId: 'e-1' })
    await given.platform.webhooks.create({ event: 'SaleCreated', url: 'https://hub.example.com/' })
    await given.platform.webhooks.delete('w-1')
    expect(given.server.asked.map(({ line, body }) => [line, body])).toEqual([
      ['PUT /api/ResendWebhookEvent/e-1', ''],
      ['POST /api/Webhooks', '{"Event":"SaleCreated","Url":"https://hub.example.com/"}'],
      ['DELETE /api/Webhooks/w-1', ''],
    ])
    expect(given.server.asked[1]?.headers).toMatchObject({ 'x-key': API_KEY })
    expect(given.server.asked[1]?.headers).not.toHaveProperty('x-api-key')
  })

  test('When the base address has a path, then the endpoints stand below it', async () => {
    await using given = await givenAnswer({ body: [] })
    const below = { baseUrl: `${given.server.url}/restapi/V2/`, apiKey: API_KEY, subscriptionKey: SUBSCRIPTION_KEY }
    await using platform = createPlatform({ preset: 'frontsystems-v2', ...below })
    await platform.stores.list()
    expect(given.server.asked[0]?.line).toBe('GET /restapi/V2/api/Stores')
  })

  test.each([
    [
      'an operation that there is not',
      { endpoints: { 'event.resend': {} } },
      /the name "event\.resend", expected an operation: .*"events\.resend"/,
    ],
    ['a path that is none', { endpoints: { 'events.resend': { path: 'api' } } }, /events\.resend\.path/],
    ['an address that is none', { baseUrl: 'platform.example.com' }, /platform\.baseUrl/],
    ['a password in the address', { baseUrl: 'https://me:hidden@platform.example.com' }, /platform\.baseUrl/],
    ['/api in the address', { baseUrl: 'https://platform.example.com/api/' }, /platform\.baseUrl.*leave out \/api/],
    ['an odata address that is none', { odataUrl: 'ftp://platform.example.com' }, /platform\.odataUrl/],
    ['a key with a line break', { apiKey: 'hidden\n' }, /platform\.apiKey/],
    ['no key', { subscriptionKey: '' }, /platform\.subscriptionKey/],
  ])('When %s is given, then it says so at once, and shows no secret', (_, wrong, said) => {
    const right = {
      preset: 'spec' as const,
      baseUrl: 'https://platform.example.com',
      apiKey: 'a',
      subscriptionKey: 'b',
    }
    expect(() => createPlatform({ ...right, ...wrong })).toThrow(said)
    expect(() => createPlatform({ ...right, ...wrong })).not.toThrow(/hidden/)
  })
})

/* What an operation is about stands in its path or its query: without it, a deletion would be one of everything. */

describe('an endpoint without a place for what it is about is refused at start', () => {
  test.each([
    ['webhooks.delete', '/api/Webhooks', '{webhookId} in it, such as /api/Webhooks/{webhookId}'],
    ['customers.delete', '/api/Customer', '{customerId} in it, such as /api/Customer/{customerId}'],
    ['products.deleteGtin', '/api/products/{product}', '{gtin} in it, such as /api/products/{product}/gtin/{gtin}'],
    ['products.byGtin', '/api/Product/gtin', '{gtin} in it'],
    ['events.resend', '/api/ResendWebhookEvent/{webhookId}', '{webhookEventId} in it'],
  ])('%s: %s', async (operation, path, expected) => {
    const failure = await failureOf(givenPlatform({ endpoints: { [operation]: { path } } }))
    expect(failure.message).toBe(
      `platform.endpoints.${operation}.path: expected a path with ${expected}${expected.endsWith('in it') ? failure.message.split('in it')[1] : ''}`,
    )
  })

  test('orders.delete and listedPrices.delete whose query names nothing', async () => {
    const endpoints = { 'orders.delete': { query: {} }, 'listedPrices.delete': { query: {} } }
    const { message } = await failureOf(givenPlatform({ endpoints }))
    expect(message).toContain(
      'orders.delete.path: expected a path with {orderNo} in it, such as /api/Omnichannel?orderNo={orderNo}',
    )
    expect(message).toContain('listedPrices.delete.path: expected a path with {gtin} or {productId} in it')
  })

  test('a place that no call fills, by the names that there are', async () => {
    const endpoints = {
      'orders.read': { path: '/api/Order/{number}' },
      'stores.list': { path: '/api/Stores/{storeId}' },
      'events.get': { path: '/api/Events/{id}' },
    }
    const { message } = await failureOf(givenPlatform({ endpoints }))
    expect(message).toContain('orders.read.path: found {number}, expected one of orderNo')
    expect(message).toContain('stores.list.path: found {storeId}, expected no place in braces')
    // Of two, nobody knows which is meant.
    expect(message).toContain('events.get.path: found {id}, expected one of webhookId, webhookEventId')
  })
})

test.each([
  ['/api/Order/{orderNo}', '/api/Order/W%2F1'],
  ['/api/Order/{id}', '/api/Order/W%2F1'],
  ['/api/Order?orderNo={id}&full=true', '/api/Order?orderNo=W%2F1&full=true'],
  ['/api/Order?full=true', '/api/Order?full=true&orderNo=W%2F1'],
])('an order is read by the path %s', async (path, asked) => {
  await using given = await givenPlatform({ endpoints: { 'orders.read': { path } } })
  given.server.play({ body: { orderNo: 'W/1', status: 'Picked' } }, '/api/Order')
  given.server.play({ body: { orderNo: 'W/1', status: 'Picked' } }, '/api/Order/W%2F1')
  expect(await given.platform.orders.read('W/1')).toMatchObject({ status: 'Picked' })
  expect(given.server.asked[0]?.line).toBe(`GET ${asked}`)
})

test('a price that is named by what config has no place for is not asked for, and not deleted', async () => {
  const path = '/api/Prices/{listId}?ean={gtin}'
  const endpoints = { 'listedPrices.delete': { path, query: {} } }
  await using given = await givenPlatform({ endpoints })
  given.server.play({ body: {} }, '/api/Prices/7')
  await given.platform.listedPrices.delete('7', { gtin: '7090000000015' })
  const failure = await failureOf(given.platform.listedPrices.delete('7', { productId: '4711' }))
  expect(failure).toMatchObject({ code: 'invalid-request', message: expect.stringContaining('{productId}') })
  expect(given.server.asked.map(({ line }) => line)).toEqual(['DELETE /api/Prices/7?ean=7090000000015'])
})

test('each preset has a place for all that its operations are about', () => {
  for (const preset of Object.values(PRESETS))
    for (const name of Object.keys(preset) as OperationName[])
      for (const keys of keysOf(name))
        expect(
          keys.filter((key) => hasPlaceFor(preset[name], key)),
          name,
        ).toEqual(keys)
})
