import { describe, expect, test } from 'vitest'
import { bookReceived } from '../../../src/flows/back-office.ts'
import type { CallContext } from '../../../src/flows/flow.ts'
import { settlementOf } from '../../domain/accounting/journal-kit.ts'
import { delivery, type Given, sale, settlement, stockMovement } from '../../fixtures/payloads.ts'
import { ARTICLE, asking, called, flowNamed, planned, RELEASED } from '../plan-kit.ts'

const AT = '2026-11-20T09:00:00'
const ITEM = { gtin: ARTICLE, quantity: 2 }

const COUNT = { stockCountId: 7, stockId: 12, countedDateTime: AT, createdDateTime: AT, items: [ITEM] }
const ADJUSTMENT = { adjustmentId: 8, stockId: 12, createdDateTime: AT, items: [ITEM] }
const TRANSFER = {
  ...{ transferId: 'T 1', fromStockId: 12, toStockId: 13, createdDateTime: AT, receivedDateTime: AT },
  products: [{ ...ITEM, quantityReceived: 2 }],
}
const RESERVATION = {
  ...{ id: 'R-1', stockId: 12, gtin: ARTICLE, quantity: 1, extId: 'A1' },
  ...{ createdDateTime: AT, releasedDateTime: '2026-11-22T09:00:00' },
}
const GIFT_CARD = {
  ...{ transactionId: 'G-1', giftCardNo: '99', amount: 100, currency: 'NOK', createdDateTime: AT, type: 'Sale' },
  storeExtId: '101',
}
const TERMINAL = {
  ...{ reconciliationId: 'B 1', terminalId: 't/9', storeExtId: '101', createdDateTime: AT, total: 100 },
  currency: 'NOK',
}

/** What a step of a flow is named by. */
function stepOf(flow: string, kind: string, payload: object) {
  const [step, ...others] = flowNamed(flow).plan(planned(kind, payload))
  expect(others).toEqual([])
  return step
}

describe('a document of the back office', () => {
  test.each<[string, string, object, string, boolean]>([
    ['book-settlement', 'POSSettlementCreated', settlement(), 'booked/settlement/3001', false],
    ['book-count', 'StockCountReconciled', COUNT, 'booked/count/7', true],
    ['book-adjustment', 'StockAdjustmentCreated', ADJUSTMENT, 'booked/adjustment/8', true],
    ['book-transfer', 'ProductTransferCreated', TRANSFER, 'booked/transfer/sent/T%201', true],
    ['book-transfer', 'ProductTransferVirtualCreated', TRANSFER, 'booked/transfer/sent/T%201', true],
    ['book-transfer', 'ProductTransferReceived', TRANSFER, 'booked/transfer/received/T%201', true],
    ['book-gift-card', 'GiftCardTransactionCreated', GIFT_CARD, 'booked/gift-card/G-1', true],
    ['book-terminal', 'BankterminalReconciliationPrinted', TERMINAL, 'booked/terminal/101/t%2F9/B%201', true],
    ['book-reservation', 'StockReservationCreated', RESERVATION, 'booked/reservation/made/R-1', true],
    ['book-reservation', 'StockReservationExpired', RESERVATION, 'booked/reservation/ended/R-1', true],
  ])(
    'when %s gets a %s, then its effect is named by its number, and compared with what was said under that before',
    (flow, kind, payload, effect, isCompared) => {
      const step = stepOf(flow, kind, payload)
      expect(step).toMatchObject({ part: '', effect })
      expect(step?.said !== undefined).toBe(isCompared)
    },
  )

  test('when it says the same in another order of its rows, then it is the same; with another article, quantity or row it is not', () => {
    const saidOf = (...items: object[]) => stepOf('book-count', 'StockCountReconciled', { ...COUNT, items })?.said
    const other = { gtin: '7090012349999', quantity: 1 }
    expect(saidOf(other, ITEM)).toBe(saidOf(ITEM, other))
    expect(saidOf({ ...ITEM, quantity: '2.0' })).toBe(saidOf(ITEM))
    for (const items of [[ITEM], [other, { ...ITEM, quantity: 3 }], [other, { ...ITEM, gtin: '1' }]])
      expect(saidOf(...items)).not.toBe(saidOf(ITEM, other))
    const later = { ...COUNT, countedDateTime: '2026-11-20T10:00:00' }
    expect(stepOf('book-count', 'StockCountReconciled', later)?.said).not.toBe(saidOf(ITEM))
  })

  test('when a sale that a receipt names is of another total, then it may be another; without a total nobody knows', () => {
    const saidOf = (given: Given) => stepOf('book-sale', 'SaleCreated', sale(given))?.said
    expect(saidOf({})).toBeDefined()
    expect(saidOf({ total: 350 })).not.toBe(saidOf({}))
    expect(saidOf({ total: '349.0' })).toBe(saidOf({}))
    expect(saidOf({ total: null })).toBeUndefined()
  })

  test('when sales of one order have no POS, then their lines, in whatever order, tell which is which', () => {
    const { posId: _, ...store } = sale().store
    const [line] = sale().orderLines
    const nameOf = (...orderLines: object[]) =>
      stepOf('book-sale', 'SaleCreated', { ...sale({ orderLines, orderNo: 'A1' }), store })?.effect
    const socks = { ...line, gtin: '7090012349999' }
    expect(nameOf(line ?? {}, socks)).toBe(nameOf(socks, line ?? {}))
    for (const more of [{ gtin: '1' }, { externalSKU: 'X' }, { quantity: 2 }, { price: 1 }])
      expect(nameOf({ ...line, ...more })).not.toBe(nameOf(line ?? {}))
    const nowhere = { ...sale({ orderNo: null }), store: {} }
    expect(stepOf('book-sale', 'SaleCreated', nowhere)?.effect).toMatch(/^booked\/sale\/receipt\/\/1001\//)
  })

  test('when it says when it was, then its step does, by the first of its times; a word that is no time is none', () => {
    const atOf = (given: Given) => stepOf('book-settlement', 'POSSettlementCreated', settlement(given))?.at
    expect(atOf({ dateTimeTo: '2026-11-20T21:00:00' })).toBe('2026-11-20T21:00:00')
    expect(atOf({})).toBe('2026-11-20T21:05:00')
    expect(atOf({ settlementTimeStamp: 'yesterday' })).toBeUndefined()
    expect(stepOf('book-transfer', 'ProductTransferReceived', TRANSFER)?.at).toBe(AT)
    expect(stepOf('book-movement', 'StockMovementCreated', stockMovement())).toEqual({
      ...{ part: '', entity: 'it', at: '2026-11-20T14:03:28' },
    })
  })

  test('when it may have been booked before, then a person is asked, who may let it go', () => {
    const part = '~perhaps-booked-41'
    const count = (known: Partial<CallContext>) =>
      called(flowNamed('book-count'), 'StockCountReconciled', COUNT, known, part)
    const message = expect.stringMatching(/^event 41 was booked under the same number/)
    expect(() => count({})).toThrow(expect.objectContaining({ name: 'HeldError', code: 'perhaps-booked', message }))
    expect(count({ released: RELEASED })).toMatchObject({ method: 'bookCount' })
  })

  test.each<[string, string, object, object]>([
    ['book-movement', 'StockMovementCreated', stockMovement(), { stockId: '12', movement: { quantity: '-1' } }],
    ['book-count', 'StockCountReconciled', COUNT, { stockId: '12', count: { countId: '7' } }],
    ['book-adjustment', 'StockAdjustmentCreated', ADJUSTMENT, { stockId: '12', adjustment: { adjustmentId: '8' } }],
    ['book-reservation', 'StockReservationCreated', RESERVATION, { stockId: '12', step: 'made', day: '2026-11-20' }],
    ['book-reservation', 'StockReservationExpired', RESERVATION, { stockId: '12', step: 'ended', day: '2026-11-22' }],
    [
      'book-sale',
      'SaleCreated',
      sale(),
      { number: '101', stockId: null, external: false, sale: { receiptNo: '1001' } },
    ],
    ['book-sale', 'SaleExternalCreated', sale(), { external: true, day: '2026-11-20' }],
  ])('when %s books a %s, then the office is told of its place and day', (flow, kind, payload, argument) => {
    expect(called(flowNamed(flow), kind, payload)).toMatchObject({ port: 'backOffice', argument })
  })

  test('when the totals of a settlement come alone, then the platform’s record is asked for by its number and days', async () => {
    const asked: unknown[] = []
    const settlements = async (which: object) => {
      asked.push(which)
      return settlementOf({})
    }
    const ask = (given: Given) =>
      asking(flowNamed('book-settlement'), 'settlementRecord', planned('POSSettlementCreated', settlement(given)), '', {
        settlements,
      }).verdict
    expect(await ask({ dateTimeTo: '2026-11-19T23:59:00' })).toMatchObject({ known: { settlement: {} } })
    expect(await ask({ dateTimeTo: '2026-11-20T21:00:00' })).not.toBeNull()
    expect(await ask({ paymentTypes: [{ type: 'Card', amount: 18250.5 }] })).toBeNull()
    expect(asked).toEqual([
      { settlementId: '3001', days: ['2026-11-19', '2026-11-20'] },
      { settlementId: '3001', days: ['2026-11-20'] },
    ])
  })

  test('when the platform’s record of a settlement names no store, then that of the webhook is meant', () => {
    const booked = (given: object) =>
      called(flowNamed('book-settlement'), 'POSSettlementCreated', settlement({ storeId: 42 }), {
        settlement: { ...settlementOf({ NetTotal: 100, paid: [['Card', 'Visa', 100]] }), posId: '3', ...given },
      })?.argument
    expect(booked({ storeNo: null, storeId: null })).toMatchObject({ number: '101', storeId: '42' })
    expect(booked({ storeNo: '7', storeId: '9' })).toMatchObject({ number: '7', storeId: '9' })
  })
})

describe('goods that are received', () => {
  const [row] = delivery().products
  const of = (products: object[], given: Given = {}) => delivery({ products, ...given })
  const come = { ...row, quantityReceived: 3 }
  const plan = (flow: string, payload: object, kind = 'DeliveryUpdated') => flowNamed(flow).plan(planned(kind, payload))

  test('when some came, then each article is a step, named by how much came; of what did not come there is none', () => {
    const missing = { ...row, gtin: '7090012349999' }
    expect(plan('book-received', of([come, missing]))).toEqual([
      {
        ...{ part: ARTICLE, entity: 'delivery:90210', at: '2026-11-20T10:15:00' },
        effect: `booked/received/90210/${ARTICLE}/3`,
      },
    ])
  })

  test('when they have a cost, then that is told by article as of its time, where the same is not told twice', () => {
    expect(plan('book-cost', of([come]))).toEqual([
      {
        ...{ part: ARTICLE, entity: `delivery:90210:cost:${ARTICLE}`, at: '2026-11-20T10:15:00' },
        ...{ digest: '120.00 NOK', version: Date.parse('2026-11-20T10:15:00Z') },
      },
    ])
    expect(plan('book-cost', of([{ ...come, costPrice: null }]))).toEqual([])
    expect(plan('book-cost', of([row ?? {}]))).toEqual([])
    const booked = called(flowNamed('book-cost'), 'DeliveryUpdated', of([come]), {}, ARTICLE)
    expect(booked).toMatchObject({
      ...{ port: 'backOffice', method: 'bookCost' },
      argument: { stockId: '12', article: ARTICLE, gtin: ARTICLE, cost: { amount: '120', currency: 'NOK' } },
    })
    const free = of([{ ...come, costPrice: null }])
    expect(called(flowNamed('book-cost'), 'DeliveryUpdated', free, {}, ARTICLE)).toBeNull()
  })

  test('when it is completed, by its word or its kind, then the delivery is booked once; before that it is not', () => {
    const whole = [{ part: '', entity: 'delivery:90210', at: '2026-11-20T10:15:00', effect: 'booked/delivery/90210' }]
    expect(plan('book-delivery', of([come]))).toEqual([])
    expect(plan('book-delivery', of([come], { isCompleted: true }))).toEqual(whole)
    expect(plan('book-delivery', of([come]), 'DeliveryCompleted')).toEqual(whole)
    expect(called(flowNamed('book-delivery'), 'DeliveryCompleted', of([come]))).toMatchObject({
      ...{ port: 'backOffice', method: 'bookDelivery' },
      argument: { stockId: '12', day: '2026-11-20', delivery: { deliveryId: '90210' } },
    })
  })

  test('when the office was told of some before, then it is told of the rest alone', () => {
    const rest = (reported: string) =>
      called(bookReceived, 'DeliveryUpdated', of([come]), { reported: reported as CallContext['reported'] }, ARTICLE)
    expect(rest('1')?.argument).toMatchObject({
      ...{ quantity: '2', line: { article: ARTICLE }, delivery: { deliveryId: '90210' } },
    })
    expect(rest('1')?.argument).not.toHaveProperty('delivery.lines')
    expect(rest('1')).toMatchObject({ port: 'backOffice', method: 'bookReceived' })
    expect(rest('3')).toBeNull()
    expect(rest('4')).toBeNull()
  })

  test('when a line is gone, or could not be read when it came, then the operator reads why', () => {
    const book = (part: string) => () => called(bookReceived, 'DeliveryUpdated', of([come]), {}, part)
    expect(book('9')).toThrow(expect.objectContaining({ code: 'bad-delivery', message: 'the delivery has no line 9' }))
    const [unread] = plan('book-received', of([{ gtin: ARTICLE }]))
    expect(book(unread?.part ?? '')).toThrow(
      expect.objectContaining({ code: 'unreadable-field', message: expect.stringMatching(/^it can be read now/) }),
    )
  })
})
