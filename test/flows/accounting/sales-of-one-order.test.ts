import { describe, expect, test } from 'vitest'
import type { Bookings } from '../../../src/domain/accounting/bookings.ts'
import { type Given, sale, saleLine, store } from '../../fixtures/payloads.ts'
import { type Erp, openErp } from './erp-given.ts'

/* What a platform numbers by order, or by store, is distinguished by what it says besides: part deliveries, a return, another store. */

const KIND = 'SaleExternalCreated'

/** A sale that was added from outside: the POS and its receipt are not told. */
function outside(given: Given = {}) {
  return sale({ orderNo: 'W-1', receiptNo: null, store: { ...store(), posId: null }, ...given })
}

const WHOLE = outside()
const REST = outside({ createdDateTime: '2026-11-22T09:12:00' })
const BACK = outside({ createdDateTime: '2026-11-25T12:30:00', total: -349, orderLines: [saleLine({ quantity: -1 })] })

async function salesIn(erp: Erp): Promise<string[]> {
  const sales = await erp.booked<Bookings['bookSale']>('sale')
  return sales.map(({ sale: { createdAt, total } }) => `${createdAt} ${total.amount}`).sort()
}

const INVOICE = { invoiceNo: 'F-9', amount: 100, currency: 'NOK', invoiceDate: '2026-11-20' }

const PRINTED = 'BankterminalReconciliationPrinted'

function printed(storeExtId: string, terminalId: string, more: object = {}) {
  const count = { reconciliationId: 7, amount: 100, currency: 'NOK', createdDateTime: '2026-11-20T21:00:00' }
  return { ...count, storeExtId, terminalId, ...more }
}

async function terminalsIn(erp: Erp): Promise<string[]> {
  const booked = await erp.booked<Bookings['bookTerminal']>('terminal')
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
  ['two receipts of one order name no POS', { receiptNo: '77' }, { receiptNo: '78' }],
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

test('When a receipt without a POS and an order is told again, then it is booked once', async () => {
  await using erp = await openErp()
  const reported = { orderNo: null, receiptNo: '77' }
  await erp.tell(KIND, [
    outside(reported),
    outside({ ...reported, receiptFormatted: '' }),
    outside({ ...reported, receiptNo: '78' }),
  ])
  expect(await salesIn(erp)).toHaveLength(2)
})

describe('what is numbered by store', () => {
  test('When two stores have an invoice of one number, then both are booked, each once', async () => {
    await using erp = await openErp()
    const of = (storeNo: string, more: object = {}) => ({ ...INVOICE, storeExtId: storeNo, ...more })
    await erp.tell('InvoiceCreated', [of('101'), of('102'), of('101', { sentAgain: 1 })])
    const booked = await erp.booked<Bookings['bookInvoice']>('invoice')
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
