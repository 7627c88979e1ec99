import { describe, expect, test } from 'vitest'
import {
  type OrderAssertion,
  type OrderEvidence,
  type RefundAssertion,
  verifyOrder,
  verifyRefund,
} from '../../../src/domain/orders/order-evidence.ts'
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
import { readOrderReturn } from '../../../src/platform/payloads/order-update.ts'
import { refundUpdate } from '../../fixtures/payloads.ts'

const SHIRT = '7090012340011'
const SOCKS = '7090012340059'

function seen(status: string | null, more: Partial<OrderEvidence> = {}): OrderEvidence {
  return { status, lines: [], parcels: null, isSent: null, ...more }
}

function line(quantity: number | null, status: string | null, rowId: string | null = '1', gtin: string | null = SHIRT) {
  return { rowId, gtin, quantity: quantity === null ? null : parseDecimal(quantity), status }
}

/** In a word: `verified`, `past` or `missing`. */
function verdictOn(claim: OrderAssertion, order: OrderEvidence): string {
  const verdict = verifyOrder(claim, order)
  return typeof verdict === 'string' ? verdict : (Object.keys(verdict)[0] ?? '')
}

describe('what an order at the platform verifies ', () => {
  test.each([
    ['picked', 'Picked', 'verified'],
    ['picked', 'picked', 'verified'],
    ['picked', 'Shipped', 'verified'],
    ['picked', 'Completed', 'verified'],
    ['picked', 'Expired', 'past'],
    ['picked', 'Rejected', 'past'],
    ['picked', 'UnHandled', 'missing'],
    ['picked', 'Teleported', 'missing'],
    ['picked', null, 'missing'],
    ['collected', 'Shipped', 'verified'],
    ['collected', 'Returned', 'verified'],
    ['collected', 'Completed', 'verified'],
    ['collected', 'Picked', 'missing'],
    ['collected', 'Expired', 'missing'],
    ['collected', null, 'missing'],
    ['expired', 'Expired', 'verified'],
    ['expired', 'Shipped', 'past'],
    ['expired', 'Picked', 'missing'],
    ['expired', 'Rejected', 'missing'],
  ] as const)('When an order is claimed to be %s, and the platform says %s, then that is %s', (is, status, verdict) => {
    expect(verdictOn({ order: 'A1', is }, seen(status))).toBe(verdict)
  })

  test.each([
    ['so many of the line', 2, [line(2, 'Declined')], 'verified'],
    ['more of the line', 1, [line(2, 'Declined')], 'verified'],
    ['it in the words of the other API', 2, [line(2, 'Rejected')], 'verified'],
    ['it of two rows with one id', 2, [line(1, 'Declined'), line(1, 'declined')], 'verified'],
    ['fewer of the line', 2, [line(1, 'Declined'), line(1, 'Picked')], 'missing'],
    ['that the line is picked', 1, [line(2, 'Picked')], 'missing'],
    ['no status of the line', 1, [line(2, null)], 'missing'],
    ['it without a quantity', 2, [line(null, 'Declined')], 'verified'],
    ['it of the article, without rows', 1, [line(1, 'Declined', null)], 'verified'],
    ['it of a row whose article it does not name', 1, [line(1, 'Declined', '1', null)], 'verified'],
    ['it of another row of the article', 1, [line(1, 'Declined', '2'), line(1, 'Picked', '1')], 'missing'],
    ['it of another article in that row', 1, [line(1, 'Declined', '1', SOCKS)], 'missing'],
    ['nothing of the line', 1, [], 'missing'],
  ])(
    'When pieces are declined, and the platform tells %s, then it is judged by that',
    (_, quantity, lines, verdict) => {
      const claimed = { rowId: '1', gtin: SHIRT, quantity: parseDecimal(quantity) }
      expect(verdictOn({ order: 'A1', is: 'declined', line: claimed }, seen('Picked', { lines }))).toBe(verdict)
    },
  )

  test('When the platform has rejected the order, then all that it has of a line is declined, and no more', () => {
    const lines = [line(2, 'UnHandled')]
    const claim = (quantity: number): OrderAssertion => ({
      order: 'A1',
      is: 'declined',
      line: { rowId: '1', gtin: SHIRT, quantity: parseDecimal(quantity) },
    })
    expect(verdictOn(claim(2), seen('Rejected', { lines }))).toBe('verified')
    expect(verifyOrder(claim(3), seen('Rejected', { lines }))).toEqual({
      missing: `the platform says that 2 of ${SHIRT} in order A1 are declined, not 3`,
    })
  })

  test('When a parcel is packed, then the record has it, or, where it tells no parcels, is at least picked', () => {
    const claim = { order: 'A1', is: 'packed', parcel: 'P-1' } as const
    expect(verdictOn(claim, seen('UnHandled', { parcels: ['P-0', 'P-1'] }))).toBe('verified')
    expect(verdictOn(claim, seen('Shipped', { parcels: [] }))).toBe('missing')
    expect(verdictOn(claim, seen('Shipped'))).toBe('verified')
    expect(verdictOn(claim, seen('UnHandled'))).toBe('missing')
  })

  test('When the record has parcels, then nobody fetches the order, whatever a webhook leaves out', () => {
    for (const is of ['picked', 'collected'] as const) {
      const sent = verifyOrder({ order: 'A1', is }, seen('Shipped', { parcels: ['S-1'] }))
      expect(sent).toEqual({ missing: 'the platform says that order A1 is sent in parcels, not fetched' })
      expect(verifyOrder({ order: 'A1', is }, seen('Shipped', { parcels: [] }))).toBe('verified')
    }
  })

  test('What is missing says what the platform says, and what the webhook', () => {
    expect(verifyOrder({ order: 'A1', is: 'collected' }, seen('Picked'))).toEqual({
      missing: 'the platform says that order A1 is Picked, not Shipped',
    })
  })
})

describe('what the event log verifies  of a refund', () => {
  const CLAIM: RefundAssertion = {
    order: 'A1',
    is: 'returned',
    refundId: 'R-1',
    isRefunded: false,
    line: { key: '1', quantity: parseDecimal(1) },
  }

  function verdict(claim: Partial<RefundAssertion>, given: object = {}) {
    const lines = [{ quantity: 1, gtin: SHIRT, id: '1', status: 'Returned' }]
    const sent = readOrderReturn(
      refundUpdate({ orderNo: 'A1', id: 'R-1', isRefunded: false, orderLines: lines, ...given }),
    )
    return verifyRefund({ ...CLAIM, ...claim }, sent ? [sent] : [])
  }

  test('When the log has that refund, then it is verified', () => {
    expect(verdict({})).toBe('verified')
  })

  test.each([
    ['another refund of the order', { refundId: 'R-2' }, /does not know the refund R-2 of order A1/],
    ['the refund of another order', { order: 'A2' }, /does not know the refund R-1 of order A2/],
    ['a refund that the POS paid', { isRefunded: true }, /was not refunded by the POS/],
    ['another line', { line: { key: '2', quantity: parseDecimal(1) } }, /does not say that 1 of the line 2 came back/],
    ['more pieces', { line: { key: '1', quantity: parseDecimal(2) } }, /does not say that 2 of the line 1 came back/],
  ])('When the webhook claims %s, then it says what is missing', (_, claim, why) => {
    expect(verdict(claim)).toEqual({ missing: expect.stringMatching(why) })
  })
})

describe('which order it is', () => {
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
})
