import { describe, expect, test } from 'vitest'
import type { OrderLineUpdate } from '../../../src/domain/orders/order-update.ts'
import {
  type Candidate,
  type Goods,
  goodsOf,
  lacksGoods,
  mustCompare,
  saysLacking,
  theOneMeant,
} from '../../../src/domain/orders/which-order.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'

const SHIRT = '7090012340011'
const SOCKS = '7090012340059'

const goods = (...gtins: (string | null)[]): Goods[] =>
  gtins.map((gtin) => ({ rowId: null, gtin, quantity: parseDecimal(1) }))

test.each([
  ['none of the goods', goods(SHIRT), [[SOCKS]], true],
  ['one of the goods', goods(SHIRT, SOCKS), [[SOCKS]], false],
  ['a second name of the article', goods(SHIRT), [['TEE-BLK-M', SHIRT]], false],
  ['an article without a GTIN', goods(SHIRT), [[SOCKS], ['TEE-BLK-M']], false],
  ['no lines any more', goods(SHIRT), [], false],
  ['goods that are known by their row only', goods(null), [[SOCKS]], false],
  ['no goods', goods(), [[SOCKS]], false],
] as const)(
  'When an order and an event have %s, then it is known for certain, or it is not',
  (_, those, articles, lacks) => {
    expect(lacksGoods(those, articles)).toBe(lacks)
  },
)

test('When the only order of a number has none of the goods, then none is meant, and it is named', () => {
  const web: Candidate<string> = { order: 'web', theirId: '17', is: 'web', holds: false, lacks: true }
  expect(theOneMeant('shop', '1008', [web])).toBeNull()
  expect(theOneMeant('shop', '1008', [{ ...web, lacks: false }])).toBe('web')
  expect(saysLacking([web])).toContain('17 (a web order), has none of the goods')
  expect(saysLacking([{ ...web, lacks: false }])).toBe('')
})

test('When an order only shares the number of its receipt, then it takes the goods to tell, though it is the only one', () => {
  expect([mustCompare([{ is: 'receipt' }]), mustCompare([{ is: 'pos' }]), mustCompare([{ is: 'web' }])]).toEqual([
    true,
    false,
    false,
  ])
  expect(mustCompare([{ is: 'web' }, { is: 'pos' }])).toBe(true)
})

test('When an order only shares the number of its receipt, then it is meant where it has the goods, and else none is', () => {
  const receipt: Candidate<string> = { order: 'pos', theirId: '18', is: 'receipt', holds: true, lacks: false }
  expect(theOneMeant('shop', '1008', [receipt])).toBe('pos')
  expect(theOneMeant('shop', '1008', [{ ...receipt, holds: false }])).toBeNull()
})

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
