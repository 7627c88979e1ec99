import { describe, expect, test } from 'vitest'
import type { EventToRoute } from '../../../src/flows/flow.ts'
import { flows } from '../../../src/flows/index.ts'

/** For platforms that keep no goods with an order: config says so. */
const ELSEWHERE = new Set(['keep-goods', 'release-goods', 'release-goods-after'])

const stepsOf = (kind: string, payload: object) => {
  const event: EventToRoute = { kind, origin: 'erp', identity: 'A', entity: 'it:A', payload, receivedAt: 0 }
  const wanting = flows.filter(({ name, kinds }) => kinds !== 'all' && kinds.includes(kind) && !ELSEWHERE.has(name))
  return wanting.flatMap((flow) => flow.plan(event).map((step) => ({ flow: flow.name, ...step })))
}

const product = { extId: 'A', name: 'Jacket', price: '10' }

describe('products', () => {
  test('When one is submitted, then it is saved with others; with insertOnly, only if it is new', () => {
    expect(stepsOf('ProductSubmitted', product)).toMatchObject([{ flow: 'save-products', batch: 'products' }])
    expect(stepsOf('ProductSubmitted', { ...product, insertOnly: true })).toMatchObject([
      { flow: 'save-products', batch: 'inserts' },
    ])
  })

  test('When it is forced, then it is the same product all the same; when it differs, it is not', () => {
    const digestOf = (payload: object) => stepsOf('ProductSubmitted', payload)[0]?.digest
    expect(stepsOf('ProductSubmitted', { ...product, force: true })).toMatchObject([
      { force: true, digest: digestOf(product) },
    ])
    expect(digestOf({ ...product, price: '11' })).not.toBe(digestOf(product))
  })
})

test.each([
  ['PriceSubmitted', { list: 'Club', gtin: '1', price: '1' }, 'save-prices', 'Club'],
  ['CostPriceSubmitted', { currency: 'NOK', gtin: '1', price: '1' }, 'save-costs', 'NOK'],
  ['StockLevelSubmitted', { stockId: '12', gtin: '1', quantity: '1' }, 'set-stock', '12:'],
  ['StockLevelSubmitted', { stockId: '12', gtin: '1', quantity: '1', description: 'Web' }, 'set-stock', '12:Web'],
])(
  'When %s comes as %o, then one call carries those that may go in one request, and the newest wins',
  (kind, payload, flow, batch) => {
    expect(stepsOf(kind, payload)).toEqual([{ flow, part: '', entity: 'it:A', batch }])
    expect(flows.find(({ name }) => name === flow)).toMatchObject({ latestWins: true, urgency: 'bulk' })
  },
)

test.each([
  ['DeliverySubmitted', 'create-delivery', { atMostOnce: true, whenInDoubt: 'hold', urgency: 'bulk' }],
  ['SaleSubmitted', 'import-sale', { atMostOnce: true, noLookup: true, whenInDoubt: 'hold', urgency: 'bulk' }],
  ['OrderSubmitted', 'submit-order', { atMostOnce: true, urgency: 'prompt' }],
  ['StockCountSubmitted', 'count-stock', { urgency: 'bulk' }],
  ['ProductTextSubmitted', 'save-product-text', { urgency: 'bulk' }],
])('When %s comes, then %s executes it alone', (kind, name, rules) => {
  expect(stepsOf(kind, {})).toEqual([{ flow: name, part: '', entity: 'it:A' }])
  expect(flows.find((flow) => flow.name === name)).toMatchObject(rules)
})

test('When sales of one order are submitted, then they go out in their order, and hold up none of another system', () => {
  expect(stepsOf('SaleSubmitted', { orderNo: 'W 1' })).toEqual([
    { flow: 'import-sale', part: '', entity: 'sale:erp/W%201' },
  ])
})

test('When a customer is submitted, then it goes to the platform and to the directory, or to the directory alone', () => {
  const toDirectory = { flow: 'take-customer', part: '', entity: 'it:A', batch: 'submitted', version: null }
  expect(stepsOf('CustomerSubmitted', { extId: 'C-1' })).toEqual([
    { flow: 'save-customer', part: '', entity: 'it:A', version: null },
    toDirectory,
  ])
  expect(stepsOf('CustomerSubmitted', { extId: 'C-1', directoryOnly: true })).toEqual([toDirectory])
})
