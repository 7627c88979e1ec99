import { describe, expect, test } from 'vitest'
import type { OrderLineUpdate } from '../../../src/domain/orders/order-update.ts'
import { goodsOf, mustCompare } from '../../../src/domain/orders/which-order.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'

const line = (given: Partial<OrderLineUpdate>): OrderLineUpdate => ({
  ...{ key: 'k', rowId: null, gtin: null, quantity: parseDecimal(1), status: null },
  ...given,
})
const names = (lines: OrderLineUpdate[]) => goodsOf(lines).map(({ gtin, rowId }) => gtin ?? `row ${rowId}`)

describe('the goods by which an order is known', () => {
  test('When lines are named by GTIN or by row, then those are the goods; a line without either tells nothing', () => {
    expect(names([line({ gtin: 'g1' }), line({ rowId: 'r2' }), line({})])).toEqual(['g1', 'row r2'])
    expect(names([line({})])).toEqual([])
  })

  test('When the store declined some, then those count only where there is nothing else', () => {
    const declined = line({ gtin: 'g1', status: 'Declined' })
    expect(names([declined, line({ gtin: 'g2' })])).toEqual(['g2'])
    expect(names([declined, line({ gtin: 'g3', status: 'Rejected' })])).toEqual(['g1', 'g3'])
    expect(names([declined, line({})])).toEqual(['g1'])
  })
})

test('When an order is the only one, then its goods need not be compared; one of several, or of a receipt, must have them', () => {
  const must = (...sorts: ('web' | 'pos' | 'receipt')[]) => mustCompare(sorts.map((is) => ({ is })))
  expect([must(), must('web'), must('pos'), must('receipt'), must('web', 'pos')]).toEqual([
    false,
    false,
    false,
    true,
    true,
  ])
})
