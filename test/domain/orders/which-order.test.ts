import { expect, test } from 'vitest'
import {
  type Candidate,
  type Goods,
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
