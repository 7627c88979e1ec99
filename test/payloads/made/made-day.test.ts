import { expect, test } from 'vitest'
import { kindOf } from '../../../src/payloads/kinds.ts'
import { EXAMPLES } from '../../../src/payloads/made/examples.ts'
import { type MadeOf, madePayload, madeWebhooks } from '../../../src/payloads/made/made-day.ts'
import { isShape } from '../../../src/payloads/made/varied.ts'
import { unreadOf } from '../../../src/payloads/unread.ts'
import { orderUpdate, receipt, sale, stockMovement } from '../../fixtures/payloads.ts'

const MIDNIGHT = Date.parse('2026-11-20T00:00:00Z')
const STORES = [
  { number: '101', stockId: '12' },
  { number: '201', stockId: 'B-7' },
]

function day(given: Partial<MadeOf> = {}): MadeOf {
  return { midnight: MIDNIGHT, day: '2026-11-20', sales: 200, stores: STORES, shapes: EXAMPLES, ...given }
}

function payloadsOf(made: MadeOf) {
  return madeWebhooks(made).map((webhook) => ({ ...webhook, payload: madePayload(made, webhook) }))
}

test('when a day of 200 sales is made, then each has its movement, every fourth a receipt, every tenth an order in three steps', () => {
  const made = madeWebhooks(day())

  const counts = Map.groupBy(made, ({ kind }) => kind)
  expect(new Map([...counts].map(([kind, of]) => [kind, of.length]))).toEqual(
    new Map([
      ['SaleCreated', 200],
      ['StockMovementCreated', 200],
      ['OmniChannelSendReceiptCreated', 50],
      ['OmniChannelOrderUpdated', 60],
    ]),
  )
  expect(made.map(({ at }) => at)).toEqual(made.map(({ at }) => at).toSorted((a, b) => a - b))
  const hours = made.flatMap(({ at, kind }) => (kind === 'SaleCreated' ? [new Date(at).getUTCHours()] : []))
  expect([Math.min(...hours), Math.max(...hours)]).toEqual([9, 20])
  // Five in the afternoon is the busiest hour, with 14 of a hundred.
  expect(hours.filter((hour) => hour === 17)).toHaveLength(28)
})

test.each([
  ['the specification', EXAMPLES],
  [
    'what was recorded',
    {
      SaleCreated: sale(),
      StockMovementCreated: stockMovement(),
      OmniChannelSendReceiptCreated: receipt(),
      OmniChannelOrderUpdated: orderUpdate(),
    },
  ],
])('when payloads have the shape of %s, then each can be read, and is another event', (_, shapes) => {
  const made = payloadsOf(day({ shapes }))

  const names = made.map(({ kind, status, payload }) => {
    expect(unreadOf(kind, payload)).toEqual([])
    return `${kind} ${kindOf(kind)?.identity?.(payload, 'platform')?.key} ${status}`
  })
  expect(new Set(names).size).toBe(made.length)
  expect(JSON.stringify(made[0]?.payload)).not.toBe(JSON.stringify(Object.values(shapes)[0]))
})

test('when a sale is made, then store and time are those of the day, and the shape stays as it was', () => {
  const shape = sale()
  const made = payloadsOf(day({ shapes: { ...EXAMPLES, SaleCreated: shape } }))

  const sales = made.filter(({ kind }) => kind === 'SaleCreated')
  expect(sales[1]?.payload).toMatchObject({ receiptNo: '100001', store: { storeExtId: '201', storeName: 'Oslo City' } })
  expect(sales[1]?.payload).toHaveProperty('createdDateTime', expect.stringMatching(/^2026-11-20T09:\d\d:\d\d$/))
  expect(made.find(({ kind }) => kind === 'StockMovementCreated')?.payload).toMatchObject({ stockId: 12 })
  expect(shape).toEqual(sale())
})

test.each([
  ['has every field that is varied', 'SaleCreated', sale(), true],
  ['has a field that is null', 'SaleCreated', sale({ receiptNo: null }), false],
  [
    'is written in other case',
    'SaleCreated',
    { ReceiptNo: '1', CreatedDateTime: 'x', Store: { StoreExtId: '1' } },
    true,
  ],
  ['lacks a field', 'StockMovementCreated', stockMovement({ gtin: undefined }), false],
  ['is no JSON', 'OmniChannelOrderUpdated', null, false],
] as const)(
  'when a recorded payload %s, then whether others can be made of it is told',
  (_, kind, payload, expected) => {
    expect(isShape(kind, payload)).toBe(expected)
  },
)
