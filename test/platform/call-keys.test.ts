import { describe, expect, test } from 'vitest'
import { hasPlaceFor } from '../../src/platform/http/endpoint.ts'
import { type OperationName, PRESETS } from '../../src/platform/http/endpoints.ts'
import { keysOf } from '../../src/platform/platform.ts'
import { failureOf, givenPlatform } from './given.ts'

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
