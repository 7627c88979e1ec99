import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SandboxPlatform, startPlatform } from '../../../sandbox/platform/platform.ts'
import * as errors from '../../../src/domain/values/errors.ts'
import { type Endpoint, withOverrides } from '../../../src/platform/http/endpoint.ts'
import { type OperationName, PRESETS, type Preset } from '../../../src/platform/http/endpoints.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { answerReadOf, bodyFieldsOf, createPlatform, keysOf } from '../../../src/platform/platform.ts'

const NAMES = Object.keys(PRESETS.spec) as OperationName[]

/** What the spec's tables of endpoints say, with the operation for it. The rest of the operations is not in these tables. */
const IN_SPEC: readonly [string, OperationName][] = [
  ['POST /api/Products', 'products.save'],
  ['PUT /api/Products', 'products.update'],
  ['POST /api/PriceListV2', 'prices.saveList'],
  ['POST /api/Pricelist/cost', 'prices.saveCosts'],
  ['GET /api/Stores', 'stores.list'],
  ['PUT /api/Delivery', 'goodsDeliveries.create'],
  ['GET /api/GetOrdersV3', 'goodsDeliveries.list'],
  ['POST /api/Stock/adjust', 'stock.adjust'],
  ['POST /api/Stock', 'stock.levels'],
  ['GET /odata/Stockmovements', 'stockMovements.list'],
  ['GET /api/possettlement', 'settlements.list'],
  ['GET /odata/Saleslines', 'salesLines.list'],
  ['PUT /api/Sale', 'sales.import'],
  ['PUT /api/Customer', 'customers.obtain'],
  ['POST /api/Omnichannel', 'orders.create'],
  ['POST /api/Webhooks', 'webhooks.create'],
  ['GET /api/WebhooksTypes', 'webhooks.types'],
  ['GET /api/WebhooksTypes/{webhookType}/schema', 'webhooks.schema'],
  ['GET /api/WebhooksEvents/{webhookId}', 'events.list'],
]

/** Rows that the spec shows without method or path, and what public facts complete them with. */
const FROM_FACTS: readonly [Preset, string, OperationName][] = [
  ['frontsystems-v2', 'PUT /api/products/{product}', 'products.update'],
  ['spec', 'POST /api/v2/Products/bulk-insert', 'products.bulkInsert'],
  ['spec', 'PUT /api/v2/Products/bulk-upsert', 'products.bulkUpsert'],
  ['spec', 'GET /api/Product/gtin/{gtin}', 'products.byGtin'],
  ['spec', 'POST /api/Product', 'products.search'],
  ['spec', 'POST /api/Product/count', 'products.count'],
  ['spec', 'GET /odata/Stockstatus', 'stockStatus.list'],
  ['spec', 'GET /api/WebhooksEvents/{webhookId}/{webhookEventId}', 'events.get'],
  ['spec', 'POST /api/WebhooksEvents/{webhookId}/deliver/{webhookEventId}', 'events.resend'],
  ['spec', 'DELETE /api/Webhooks/{webhookId}', 'webhooks.delete'],
  ['spec', 'PUT /api/Webhooks/{webhookId}', 'webhooks.update'],
  ['spec', 'POST /api/Customer', 'customers.search'],
  ['spec', 'POST /api/Customer/count', 'customers.count'],
  ['frontsystems-v2', 'POST /api/PricelistV2', 'prices.saveList'],
  ['frontsystems-v2', 'PUT /api/PurchaseOrder', 'goodsDeliveries.create'],
  ['frontsystems-v2', 'GET /api/Possettlementv2', 'settlements.list'],
  ['frontsystems-v2', 'POST /api/OmniChannel', 'orders.create'],
  ['frontsystems-v2', 'PUT /api/OmniChannel', 'orders.update'],
  ['frontsystems-v2', 'GET /api/OmniChannel', 'orders.read'],
  ['frontsystems-v2', 'DELETE /api/OmniChannel', 'orders.delete'],
]

describe('the endpoints', () => {
  test.each(IN_SPEC)('When the spec shows %s, then %s is that', (row, name) => {
    expect(lineOf(PRESETS.spec[name])).toBe(row)
    expect(PRESETS.spec[name].known).toMatchObject({ call: 'spec', line: expect.any(Number) })
  })

  test('When the spec does not show an operation, then it is a guess there; config makes it none, and another time limit does not', () => {
    const shown = new Set(IN_SPEC.map(([, name]) => name))
    for (const name of NAMES.filter((one) => !shown.has(one)))
      expect(PRESETS.spec[name].known, name).toEqual({ call: 'guess', answer: 'guess', line: null })
    expect(PRESETS['frontsystems-v2']['orders.read'].known).toMatchObject({ call: 'public', answer: 'public' })
    expect(PRESETS['frontsystems-v2']['goodsDeliveries.list'].known).toMatchObject({ call: 'guess' })
    const changes = { 'orders.read': { path: '/api/Orders' }, 'orders.delete': { timeout: 5_000 } }
    const said = withOverrides(PRESETS.spec, changes, { fieldsOf: bodyFieldsOf, keysOf, answerOf: answerReadOf })
    expect([said['orders.read'].known.call, said['orders.delete'].known.call]).toEqual(['config', 'guess'])
  })

  test.each(FROM_FACTS)('When %s needs %s, then %s is that', (preset, row, name) => {
    expect(lineOf(PRESETS[preset][name])).toBe(row)
  })
})

function lineOf({ method, path }: Endpoint): string {
  return `${method} ${path}`
}

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const page = readFileSync(new URL('../../../docs/platform-client.md', import.meta.url), 'utf8')
const [imports = '', ...examples] = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code)

// biome-ignore lint/complexity/useArrowFunction: an arrow function has another constructor.
const AsyncFunction = async function () {}.constructor as new (
  ...names: string[]
) => (...values: unknown[]) => Promise<void>

describe('docs/platform-client.md', () => {
  let sandbox: SandboxPlatform
  let platform: Platform
  /** What the examples take for given. */
  let given: Record<string, unknown>

  beforeAll(async () => {
    sandbox = await startPlatform(KEYS)
    platform = createPlatform({ preset: 'spec', baseUrl: sandbox.url, ...KEYS })
    const [{ id: gtin = '' } = {}] = (await platform.stock.levels({ stockIds: ['12'] })).rows
    const named = { name: 'Belt', brand: 'N', groupName: 'Belts', season: 'BASIC', color: 'Red' }
    await platform.prices.saveList({ name: 'Autumn', prices: [{ gtin, price: '999' }] })
    await platform.products.save({ ...named, extId: 'J-0999-RED', createProductSpecificSize: true, productSizes: [] })
    const customerId = await platform.customers.obtain({ extId: 'C-20417' })
    const everyProduct = [{ ...named, extId: 'B-1' }]
    given = { platform, createPlatform, ...errors, baseUrl: sandbox.url, ...KEYS, gtin, customerId, everyProduct }
  })

  afterAll(async () => {
    await platform[Symbol.asyncDispose]()
    await sandbox[Symbol.asyncDispose]()
  })

  test.each(examples)('the example works as it is shown: %s', async (code) => {
    const said: string[] = []
    const log = (...words: unknown[]) => void said.push(words.map(textOf).join(' '))
    // What an example declares itself is not given to it.
    const names = Object.keys(given).filter((name) => !new RegExp(`\\b(const|using) ${name}\\b`).test(code))
    await new AsyncFunction('log', ...names, code)(log, ...names.map((name) => given[name]))
    for (const [, expected = ''] of code.matchAll(/log\(.*\) \/\/ (.*)$/gm)) expect(said).toContain(expected)
  })

  test('the page begins with the imports that its examples need', () => {
    expect(imports).toContain("import { createPlatform } from './src/platform/platform.ts'")
    expect(examples.length).toBeGreaterThan(10)
  })

  test('there is an example of each area of the client', () => {
    const areas = Object.keys(platform).filter((name) => name !== 'toString')
    for (const area of areas) expect(examples.join(), area).toContain(`platform.${area}.`)
  })
})

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
