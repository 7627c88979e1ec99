import { expect, test } from 'vitest'
import type { EndpointOverrides } from '../../src/platform/http/endpoint.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import { stockNow } from '../../src/platform/resources/stock.ts'
import { givenPlatform, KEYS } from '../sandbox/platform/given.ts'

const OSLO = '12'
const TEE = '7090012340011'

/** What a hub finds in Oslo at a platform that keeps to the letter of the specification. */
async function reportedOf(endpoints: EndpointOverrides) {
  await using sandbox = await givenPlatform({ dialect: 'spec', seedCatalogue: false })
  await using platform = createPlatform({ preset: 'spec', baseUrl: sandbox.apiUrl, ...KEYS, endpoints })
  sandbox.actions.countStock({ stock: '101', sku: TEE, quantity: 7 })
  return (await stockNow(platform, OSLO, AbortSignal.timeout(5_000))).rows
}

test('When a platform has no StockStatus, then its levels tell what a stock has', async () => {
  expect(await reportedOf({})).toContainEqual({ gtin: TEE, quantity: '7' })
})

test('When what is kept is taken off the levels there, then these are not taken for what a stock has', async () => {
  await expect(reportedOf({ 'stock.levels': { levels: 'sellable' } })).rejects.toThrow(
    '/odata/Stockstatus answered 404',
  )
})
