import { describe, expect, test } from 'vitest'
import type { InvoiceBooking, SaleBooking, TerminalBooking } from '../../../src/domain/books/bookings.ts'
import { eventually } from '../../eventually.ts'
import { type Given, sale, saleLine, store } from '../../fixtures/payloads.ts'
import { createArrivals, owed } from '../../store/arrivals.ts'
import { type Erp, openErp } from './erp-given.ts'

/* What a platform numbers by order, or by store, is told apart by what it says besides: part deliveries, a return, another store. */

const KIND = 'SaleExternalCreated'

/** A sale that was added from outside: the till and its receipt are not told. */
function outside(given: Given = {}) {
  return sale({ orderNo: 'W-1', receiptNo: null, store: { ...store(), posId: null }, ...given })
}

const WHOLE = outside()
const REST = outside({ createdDateTime: '2026-11-22T09:12:00' })
const BACK = outside({ createdDateTime: '2026-11-25T12:30:00', total: -349, orderLines: [saleLine({ quantity: -1 })] })

async function salesIn(erp: Erp): Promise<string[]> {
  const sales = await erp.booked<SaleBooking>('sale')
  return sales.map(({ sale: { createdAt, total } }) => `${createdAt} ${total.amount}`).sort()
}

const INVOICE = { invoiceNo: 'F-9', amount: 100, currency: 'NOK', invoiceDate: '2026-11-20' }

const PRINTED = 'BankterminalReconciliationPrinted'

function printed(storeExtId: string, terminalId: string, more: object = {}) {
  const count = { reconciliationId: 7, amount: 100, currency: 'NOK', createdDateTime: '2026-11-20T21:00:00' }
  return { ...count, storeExtId, terminalId, ...more }
}

async function terminalsIn(erp: Erp): Promise<string[]> {
  const booked = await erp.booked<TerminalBooking>('terminal')
  return booked.map(({ storeNo, reconciliation }) => `${storeNo} ${reconciliation.terminalId}`).sort()
}

test('When an order is sold in parts and comes back, then each is booked, and none of them twice', async () => {
  await using erp = await openErp()
  await erp.tell(KIND, [WHOLE, REST, BACK])
  const three = ['2026-11-20T14:03:27 349', '2026-11-22T09:12:00 349', '2026-11-25T12:30:00 -349']
  expect(await salesIn(erp)).toEqual(three)
  // The same facts in other bytes.
  await erp.tell(
    KIND,
    [WHOLE, REST, BACK].map((one) => ({ ...one, receiptFormatted: '', total: String(one.total) })),
  )
  expect(await salesIn(erp)).toEqual(three)
})

test.each([
  ['two receipts of one order name no till', { receiptNo: '77' }, { receiptNo: '78' }],
  [
    'stores that have no number sell one order',
    { store: { ...store(), storeExtId: '', storeName: 'Oslo City', posId: null } },
    { store: { ...store(), storeExtId: '', storeName: 'Bergen Storsenter', posId: null } },
  ],
  [
    'two parts of an order are sold at one time, for one price',
    {},
    { orderLines: [saleLine({ gtin: '7090012340073' })] },
  ],
])('When %s, then both are booked', async (_, first, second) => {
  await using erp = await openErp()
  await erp.tell(KIND, [outside(first), outside(second), outside(first)])
  expect(await salesIn(erp)).toHaveLength(2)
})

test('When a receipt without a till and an order is told again, then it is booked once', async () => {
  await using erp = await openErp()
  const told = { orderNo: null, receiptNo: '77' }
  await erp.tell(KIND, [
    outside(told),
    outside({ ...told, receiptFormatted: '' }),
    outside({ ...told, receiptNo: '78' }),
  ])
  expect(await salesIn(erp)).toHaveLength(2)
})

describe('what is numbered by store', () => {
  test('When two stores have an invoice of one number, then both are booked, each once', async () => {
    await using erp = await openErp()
    const of = (storeNo: string, more: object = {}) => ({ ...INVOICE, storeExtId: storeNo, ...more })
    await erp.tell('InvoiceCreated', [of('101'), of('102'), of('101', { sentAgain: 1 })])
    const booked = await erp.booked<InvoiceBooking>('invoice')
    expect(booked.map(({ storeNo }) => storeNo).sort()).toEqual(['101', '102'])
  })

  test('When terminals count by themselves, then each count is booked, each once', async () => {
    await using erp = await openErp()
    await erp.tell(PRINTED, [
      printed('101', 'T1'),
      printed('101', 'T2'),
      printed('102', 'T1'),
      printed('101', 'T1', { sentAgain: 1 }),
    ])
    expect(await terminalsIn(erp)).toEqual(['101 T1', '101 T2', '102 T1'])
  })
})

describe('what an earlier version has booked by its number alone', () => {
  test('When a sale of an order was, then the same again is not booked twice, and its other parts are booked', async () => {
    await using erp = await openErp()
    await bookedBefore(erp, KIND, WHOLE, { flow: 'book-sale', effect: 'booked/sale/order/101/W-1' })
    expect(await salesIn(erp)).toEqual(['2026-11-20T14:03:27 349'])
    await erp.tell(KIND, [{ ...WHOLE, receiptFormatted: '' }, REST, { ...REST, receiptFormatted: '' }])
    expect(await salesIn(erp)).toEqual(['2026-11-20T14:03:27 349', '2026-11-22T09:12:00 349'])
  })

  test('When a terminal’s count was, then those of other terminals under its number are booked, each once', async () => {
    await using erp = await openErp()
    await bookedBefore(erp, PRINTED, printed('101', 'T1'), { flow: 'book-terminal', effect: 'booked/terminal/7' })
    await erp.tell(PRINTED, [
      printed('101', 'T1', { sentAgain: 1 }),
      printed('102', 'T9'),
      printed('102', 'T9', { sentAgain: 1 }),
      printed('101', 'T2'),
    ])
    expect(await terminalsIn(erp)).toEqual(['101 T1', '101 T2', '102 T9'])
  })

  test('When the number swallowed another store’s invoice since, then a reroute books it', async () => {
    await using erp = await openErp()
    const [first, lost] = ['101', '102'].map((storeExtId) => ({ ...INVOICE, storeExtId }))
    await bookedBefore(erp, 'InvoiceCreated', first ?? {}, { flow: 'book-invoice', effect: 'booked/invoice/F-9' })
    const { store: kept } = erp.hub.hub
    await kept.accept([createArrivals(kept).of('InvoiceCreated', lost ?? {}, { transportKey: 'lost', deliveries: [] })])
    await erp.hub.admin('events/reroute', { filter: { kind: 'InvoiceCreated' } })
    const booked = await erp.booked<InvoiceBooking>('invoice')
    expect(booked.map(({ storeNo }) => storeNo).sort()).toEqual(['101', '102'])
  })

  test('When nothing is left of what was booked, then the next under its number is held for a person, once', async () => {
    await using erp = await openErp()
    const { store: kept } = erp.hub.hub
    await bookedBefore(erp, PRINTED, printed('101', 'T1'), { flow: 'book-terminal', effect: 'booked/terminal/7' })
    expect(await terminalsIn(erp)).toEqual(['101 T1'])
    await kept.dropPayloads({ kind: PRINTED, upTo: 1, except: [] })
    await erp.tell(PRINTED, [printed('102', 'T9'), printed('102', 'T9', { sentAgain: 1 })])
    const held = () => kept.deliveries({ state: 'held' })
    await eventually(async () => (await held()).length === 1)
    expect(await held()).toMatchObject([
      { code: 'perhaps-booked', why: expect.stringContaining('event 1 was booked under') },
    ])
    const [one] = await held()
    await erp.hub.admin('deliveries/release', { filter: { id: one?.id }, reason: 'the books lack it' })
    await eventually(async () => (await terminalsIn(erp)).length === 2)
    expect(await terminalsIn(erp)).toEqual(['101 T1', '102 T9'])
  })

  async function bookedBefore(
    erp: Erp,
    kind: string,
    payload: object,
    { flow, effect }: Record<'flow' | 'effect', string>,
  ) {
    const { store: kept } = erp.hub.hub
    const before = owed({ flow, destination: 'erp', urgency: 'bulk', once: true, each: true, effect })
    await kept.accept([createArrivals(kept).of(kind, payload, { transportKey: 'before', deliveries: [before] })])
  }
})
