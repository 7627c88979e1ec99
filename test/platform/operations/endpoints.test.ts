import { describe, expect, test } from 'vitest'
import { type Endpoint, withOverrides } from '../../../src/platform/http/endpoint.ts'
import { type OperationName, PRESETS, type Preset } from '../../../src/platform/http/endpoints.ts'
import { answerReadOf, bodyFieldsOf, keysOf } from '../../../src/platform/platform.ts'

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
