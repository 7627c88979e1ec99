import { describe, expect, test } from 'vitest'
import { idOfPosOrder, idsOfOrder, numberOfLink, sortOfLink } from '../../../src/domain/orders/link.ts'
import * as facts from '../../../src/domain/orders/order-facts.ts'
import {
  doubtOf,
  makingEntity,
  orderEntity,
  orderNumberOf,
  unknownWords,
} from '../../../src/domain/orders/order-facts.ts'
import {
  bothOf,
  isDeclined,
  mergedLines,
  type OrderLineUpdate,
  type OrderReturn,
} from '../../../src/domain/orders/order-update.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'

const line = (given: Partial<OrderLineUpdate> = {}): OrderLineUpdate => ({
  ...{ key: 'row-1', rowId: '1', gtin: null, quantity: parseDecimal(2), status: null },
  ...given,
})

describe('the words of an update', () => {
  const LONG = 'x'.repeat(70)
  const words = (status: string, ...lines: (string | null)[]) =>
    unknownWords({
      ...{ number: 'A1', platformId: null, shipments: null, stockId: null, stockName: null },
      status,
      lines: lines.map((of) => line({ status: of })),
    })

  test('When all are known, then there is nothing to tell', () => {
    for (const status of ['UnHandled', 'Picked', 'Shipped', 'Rejected', 'Expired', 'Returned'])
      expect(words(status, null, status === 'Expired' ? null : status)).toEqual([])
    expect(words('Picked', 'Accepted', 'Declined', 'Rejected')).toEqual([])
  })

  test('When some are not, then each is told once, and what it is of; long ones are cut', () => {
    expect(words('Lost', 'Broken', 'Broken', 'Expired', 'Picked')).toEqual([
      { word: 'Lost', of: 'order' },
      { word: 'Broken', of: 'line' },
      { word: 'Expired', of: 'line' },
    ])
    expect(words('Accepted', LONG)).toEqual([
      { word: 'Accepted', of: 'order' },
      { word: LONG.slice(0, 60), of: 'line' },
    ])
  })

  test('When a store does not have the goods, then either platform’s word says so', () => {
    expect(['Declined', 'Rejected', 'Picked', null].map(isDeclined)).toEqual([true, true, false, false])
  })

  test('When goods come back, then only the word that is known is acted on', () => {
    const refund = (status: string | null) => ({ status }) as OrderReturn
    const returned = refund('Returned')
    expect(doubtOf(returned, line({ status: null }))).toBeNull()
    expect(doubtOf(returned, line({ status: 'Returned' }))).toBeNull()
    expect(doubtOf(refund('Pending'), line())).toBe('the refund is called Pending, not Returned')
    expect(doubtOf(refund(null), line())).toBe('the refund is called nothing, not Returned')
    expect(doubtOf(returned, line({ status: 'Damaged' }))).toBe(
      'the line row-1 of the refund is called Damaged, not Returned',
    )
  })
})

describe('lines that are one', () => {
  test('When lines share a key, then they are one of all their quantities', () => {
    const other = line({ key: 'row-2', quantity: parseDecimal(5) })
    expect(mergedLines([line(), other, line({ quantity: parseDecimal('1.5') })])).toEqual([
      line({ quantity: parseDecimal('3.5') }),
      other,
    ])
  })

  test('When one of the quantities cannot be read, then neither can the sum', () => {
    expect(bothOf(parseDecimal(1), null)).toBeNull()
    expect(bothOf(null, parseDecimal(1))).toBeNull()
    expect(bothOf(parseDecimal(1), parseDecimal(2))).toBe(parseDecimal(3))
  })
})

describe('what an order is kept under', () => {
  test('When it is of a POS, then its number says so; one without has its receipt', () => {
    expect(idOfPosOrder({ orderNo: '1008', receiptNo: '7' })).toBe('pos:1008')
    expect(idOfPosOrder({ orderNo: null, receiptNo: '7' })).toBe('receipt:7')
    expect(idsOfOrder('1008')).toEqual(['1008', 'pos:1008', 'receipt:1008'])
    expect(idsOfOrder('1008').map(numberOfLink)).toEqual(['1008', '1008', '1008'])
    expect(idsOfOrder('1008').map(sortOfLink)).toEqual(['web', 'pos', 'receipt'])
  })

  test('When there are facts about it, then each has a name of its own', () => {
    const named = [
      ...[facts.placed, facts.collected, facts.rejected, facts.expired, facts.cancelled, facts.neverPlaced].map((of) =>
        of('A/1'),
      ),
      ...[facts.reported, facts.captured, facts.calledOff, facts.anyDeclined].map((of) => of('A/1')),
      facts.paidBack('A/1', 'r/1'),
      facts.declined('A/1', 'row-1', '1.5'),
      facts.returned('A/1', 'r/1', 'row-1', '1.5'),
      facts.packed('A/1', 's/1', null),
      facts.packed('A/1', 's/1', 'abc'),
      facts.unread('A/1', 'Lost it'),
    ]
    expect(named.map((fact) => fact.replace('order/A%2F1/', ''))).toEqual([
      ...'placed collected rejected expired cancelled never-placed reported captured called-off'.split(' '),
      ...['declined/', 'paid-back/r%2F1', 'declined/row-1/1%2E5', 'returned/r%2F1/row-1/1%2E5', 'packed/s%2F1'],
      ...['packed/s%2F1/abc', 'unread/Lost%20it'],
    ])
    expect(facts.declined('A1', 'row-1', '2').startsWith(facts.anyDeclined('A1'))).toBe(true)
    expect(facts.ofOneOrder(facts.packed('A1', 's', 'abc'), 'g/1')).toBe('order/A1@g%2F1/packed/s/abc')
  })

  test('When something is about it, then it waits in the order’s line, and its making in one of its own', () => {
    expect(orderEntity('A/1')).toBe('order:A%2F1')
    expect(makingEntity('A/1')).toBe('order:A%2F1/made')
    expect([orderEntity('A/1'), makingEntity('A/1'), 'customer:1', null].map(orderNumberOf)).toEqual([
      'A/1',
      'A/1',
      null,
      null,
    ])
  })
})
