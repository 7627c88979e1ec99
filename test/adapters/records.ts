import { BOOKING_NAMES, type BookingName, type Bookings } from '../../src/domain/accounting/bookings.ts'
import { money, parseDecimal } from '../../src/domain/values/money.ts'
import { readSale } from '../../src/platform/payloads/sale.ts'
import { readSettlement } from '../../src/platform/payloads/settlement.ts'
import { type Given, pulledSettlement, sale, saleLine } from '../fixtures/payloads.ts'

/* Records of a store's day; what a test cares about it says itself. */

const PLACE = { storeNo: '101', storeId: '42', storeKey: '101', country: 'NO', stockId: '12', day: '2026-08-03' }
const AT = '2026-08-03T10:15:00'

export function saleRecord(receiptNo: string, lines: Given[] = [{}]): Bookings['bookSale'] {
  const payload = sale({ receiptNo, orderNo: 'EA-7', orderLines: lines.map((line) => saleLine(line)) })
  return { ...PLACE, stockId: null, external: false, sale: readSale(payload) }
}

export function settlementRecord(journal: Bookings['bookSettlement']['journal']): Bookings['bookSettlement'] {
  return { ...PLACE, stockId: null, settlement: readSettlement(pulledSettlement()), journal, released: null }
}

export const journal: NonNullable<Bookings['bookSettlement']['journal']> = {
  lines: [
    { account: '1900', text: 'Cash', amount: money('1250.5', 'NOK'), vatRate: null },
    { account: '3000', text: 'Sales 25 %', amount: money('-1000.4', 'NOK'), vatRate: '0.25' },
    { account: '2700', text: 'VAT 25 %', amount: money('-250.1', 'NOK'), vatRate: '0.25' },
  ],
  difference: money(0, 'NOK'),
}

const one = parseDecimal(1)
const goods = { gtin: '7090012340011', sku: 'TEE-BLK-M', quantity: one }
const cost = money('99.5', 'NOK')
const booked = { currentLevel: one, movements: [{ movementId: 'M-1', at: AT, quantity: one, cost }] }
const deliveryLine = {
  article: '7090012340011',
  gtin: '7090012340011',
  identifier: '7090012340011',
  productId: '50010',
  name: 'T-shirt',
  number: '1001',
  variant: 'BLK',
  color: 'Black',
  label: 'M',
  description: 'Soft.',
  expected: one,
  received: one,
  cost,
  ...booked,
}
const movement = { ...goods, movementId: 'M-1', stockId: '12', type: 'Sale', level: one }
const pos = { storeNo: '101', posId: '3', at: AT }

const delivery = {
  deliveryId: 'D-1',
  reference: 'PO-9',
  stockId: '12',
  stockNo: 'S12',
  companyId: '1',
  type: 'DirectDelivery',
  status: 'Delivered',
  isCompleted: true,
  comment: 'short',
  brand: 'Nordlys',
  season: 'AW26',
  orderType: '1',
  expectedQuantity: one,
  expectedCost: parseDecimal(120),
  receivedQuantity: one,
  receivedCost: parseDecimal(120),
  expectedOn: '2026-08-03',
  at: AT,
}

export const RECORDS: Bookings = {
  bookSale: saleRecord('1001'),
  bookInvoice: {
    ...PLACE,
    invoice: {
      ...pos,
      invoiceId: 'I-1',
      number: '5001',
      receiptNo: '1001',
      amount: money('1250', 'NOK'),
      vatTotal: money('250', 'NOK'),
      invoicedOn: '2026-08-03',
      dueOn: '2026-08-17',
      customer: { customerId: 'C-9', name: 'Nordmann AS', email: 'post@nordmann.example' },
    },
  },
  bookSettlement: settlementRecord(journal),
  bookReceived: { ...PLACE, delivery, line: deliveryLine, quantity: one },
  bookCost: { ...PLACE, delivery, article: '7090012340011', gtin: '7090012340011', cost },
  bookDelivery: { ...PLACE, delivery: { ...delivery, lines: [deliveryLine] } },
  bookMovement: { ...PLACE, movement: { ...movement, stockNo: 'S12', at: AT } },
  bookCount: {
    ...PLACE,
    count: {
      countId: 'N-1',
      stockId: '12',
      stockNo: 'S12',
      description: 'Shelf 4',
      isComplete: false,
      countedAt: AT,
      at: AT,
      items: [goods],
      movements: [movement],
    },
  },
  bookAdjustment: {
    ...PLACE,
    adjustment: {
      adjustmentId: 'J-1',
      stockId: '12',
      stockNo: 'S12',
      reason: 'Broken',
      at: AT,
      items: [goods],
      movements: [movement],
    },
  },
  bookTransfer: {
    ...PLACE,
    step: 'sent',
    virtual: false,
    transfer: {
      transferId: 'T-1',
      fromStockId: '12',
      fromStockNo: 'S12',
      toStockId: '13',
      toStockNo: 'S13',
      status: 'Sent',
      sentAt: AT,
      receivedAt: AT,
      lines: [{ ...goods, received: one }],
    },
  },
  bookGiftCard: {
    ...PLACE,
    transaction: {
      ...pos,
      transactionId: 'G-1',
      giftCardId: 'GC-1',
      type: 'Used',
      amount: money('-100', 'NOK'),
      balance: money('400', 'NOK'),
      receiptNo: '1001',
    },
  },
  bookTerminal: {
    ...PLACE,
    reconciliation: {
      ...pos,
      reconciliationId: 'R-1',
      terminalId: 'BT-1',
      amount: money('1250', 'NOK'),
      count: one,
      schemes: [{ scheme: 'Visa', count: one, amount: money('1250', 'NOK') }],
    },
  },
  bookReservation: {
    ...PLACE,
    step: 'made',
    reservation: {
      reservationId: 'V-1',
      stockId: '12',
      stockNo: 'S12',
      gtin: '7090012340011',
      sku: 'TEE-BLK-M',
      quantity: one,
      orderNo: 'A-1',
      status: 'Created',
      at: AT,
      expiresAt: AT,
      releasedAt: AT,
    },
  },
}

export const METHODS: readonly BookingName[] = BOOKING_NAMES
