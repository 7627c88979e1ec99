import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Counter, openCounter } from './given.ts'

const GTIN = '7090000000011'
let the: Counter
beforeAll(async () => {
  the = await openCounter({ config: { platform: { stockWriters: { 900: 'wms' } } } })
})
afterAll(() => the[Symbol.asyncDispose]())

test.each([
  ['stock-adjustments', { stockId: '900', gtin: GTIN, quantity: '3' }, 'stockId'],
  [
    'products',
    { extId: 'A', productSizes: [{ gtin: GTIN, stockQty: [{ stockId: '900', qty: '3' }] }] },
    'productSizes[0].stockQty[0].stockId',
  ],
])(
  'When another system than its writer submits levels of a stock to %s, then it is refused by name',
  async (path, body, where) => {
    const refused = await the.submit(path, body)
    expect(refused.status).toBe(422)
    expect(JSON.stringify(refused.body)).toContain(`${where}: found a stock that another system writes`)
    expect(JSON.stringify(refused.body)).toContain('from wms alone (platform.stockWriters in config)')
    const wms = await the.keyOf('wms')
    expect((await the.submit(path, body, { as: wms.key })).status).toBe(202)
  },
)
