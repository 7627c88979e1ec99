import type { BookingPlace, Bookings } from '../../../domain/books/bookings.ts'
import type { Journal } from '../../../domain/books/journal.ts'
import type { Settlement } from '../../../domain/books/settlement.ts'
import type { Delivery, DeliveryLine, GoodsLine, GoodsMovement } from '../../../domain/catalogue/goods.ts'
import { parseDecimal } from '../../../domain/values/money.ts'
import { BOOKING_METHODS, type WrittenBooking } from './inputs.ts'
import { NOK, one, tillOrder, times } from './sample-parts.ts'

/** A record as its mappings are tried on it: everything that there may be is there, so much of each list. */
export function bookingSample(kind: WrittenBooking, count: number): object {
  const begins = SAMPLES[BOOKING_METHODS[kind]](count)
  // Only what ends something is known there already.
  return 'step' in begins ? { ...begins, theirId: '99' } : begins
}

const at = '2026-11-20T14:03:27'
const place: BookingPlace = {
  storeNo: '101',
  storeId: '42',
  storeKey: '101',
  country: 'NO',
  stockId: '12',
  day: '2026-11-20',
}
const till = { storeNo: '101', posId: '3', at }
const stock = { stockId: '12', stockNo: '101' }
const article = { gtin: '7090012340011', sku: 'TEE-BLK-M' }

const goods: GoodsLine = { ...article, quantity: one }
const movement: GoodsMovement = {
  ...article,
  movementId: '880',
  stockId: '12',
  type: 'Sale',
  quantity: one,
  level: one,
}

const deliveryLine: DeliveryLine = {
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
  cost: NOK('120'),
  currentLevel: one,
  movements: [{ movementId: '880', at, quantity: one, cost: NOK('120') }],
}

const delivery: Omit<Delivery, 'lines'> = {
  ...stock,
  deliveryId: '90210',
  reference: 'PO-2026-17',
  companyId: '1',
  type: 'PlannedDelivery',
  status: 'Delivered',
  isCompleted: true,
  comment: 'Autumn',
  brand: 'Nordlys',
  season: 'AW26',
  orderType: '1',
  expectedQuantity: one,
  expectedCost: parseDecimal(120),
  receivedQuantity: one,
  receivedCost: parseDecimal(120),
  expectedOn: '2026-11-24',
  at,
}

const SAMPLES: { [Method in keyof Bookings]: (count: number) => Bookings[Method] } = {
  bookSale(count) {
    const { number, transactionId, contradiction: _, comments: __, ...order } = tillOrder(count)
    const receiptUrl = 'https://receipts.example.com/1002'
    return { ...place, external: false, sale: { ...order, receiptUrl, orderNo: number, vatTotal: NOK('69.8') } }
  },
  bookInvoice: () => ({
    ...place,
    invoice: {
      ...till,
      invoiceId: '5501',
      number: 'F-5501',
      receiptNo: '1002',
      amount: NOK('349'),
      vatTotal: NOK('69.8'),
      invoicedOn: '2026-11-20',
      dueOn: '2026-12-04',
      customer: { customerId: '501', name: 'Nordmann AS', email: 'kari.nordmann@example.com' },
    },
  }),
  bookSettlement: (count) => ({
    ...place,
    settlement: settlement(count),
    journal: journal(count),
    released: { by: 'Ola', reason: 'Counted again' },
  }),
  bookReceived: () => ({ ...place, delivery, line: deliveryLine, quantity: one }),
  bookCost: () => ({ ...place, delivery, article: '7090012340011', gtin: '7090012340011', cost: NOK('120') }),
  bookDelivery: (count) => ({ ...place, delivery: { ...delivery, lines: times(count, () => deliveryLine) } }),
  bookMovement: () => ({ ...place, movement: { ...movement, ...stock, movementId: '880', at } }),
  bookCount: (count) => ({
    ...place,
    count: {
      ...stock,
      countId: '61',
      description: 'Half a year',
      isComplete: true,
      countedAt: at,
      at,
      items: times(count, () => goods),
      movements: times(count, () => movement),
    },
  }),
  bookAdjustment: (count) => ({
    ...place,
    adjustment: {
      ...stock,
      adjustmentId: '71',
      reason: 'Broken',
      at,
      items: times(count, () => goods),
      movements: times(count, () => movement),
    },
  }),
  bookTransfer: (count) => ({
    ...place,
    step: 'sent',
    virtual: true,
    transfer: {
      transferId: '81',
      fromStockId: '12',
      fromStockNo: '101',
      toStockId: '13',
      toStockNo: '102',
      status: 'Sent',
      sentAt: at,
      receivedAt: at,
      lines: times(count, () => ({ ...goods, received: one })),
    },
  }),
  bookGiftCard: () => ({
    ...place,
    transaction: {
      ...till,
      transactionId: '91',
      giftCardId: '9001',
      type: 'Issued',
      amount: NOK('500'),
      balance: NOK('500'),
      receiptNo: '1002',
    },
  }),
  bookTerminal: (count) => ({
    ...place,
    reconciliation: {
      ...till,
      reconciliationId: '95',
      terminalId: '12345678',
      amount: NOK('349'),
      count: one,
      schemes: times(count, () => ({ scheme: 'Visa', count: one, amount: NOK('349') })),
    },
  }),
  bookReservation: () => ({
    ...place,
    step: 'made',
    reservation: {
      ...stock,
      ...article,
      reservationId: '97',
      quantity: one,
      orderNo: 'A1',
      status: 'Created',
      at,
      expiresAt: at,
      releasedAt: at,
    },
  }),
}

function settlement(count: number): Settlement {
  const row = { paymentTypeId: '1', type: 'Cash', subType: 'Cash', amount: NOK('349') }
  return {
    settlementId: '3001',
    batchNumber: '17',
    storeId: '11',
    storeNo: '101',
    storeName: 'Oslo City',
    storeInfo: 'Stenersgata 1',
    posId: '3',
    posName: 'Till 3',
    personName: 'Ola',
    comment: 'Counted twice',
    settledAt: at,
    from: at,
    to: at,
    receiptNoFrom: '950',
    receiptNoTo: '1002',
    currency: 'NOK',
    grossTotal: NOK('399'),
    grossDiscount: NOK('50'),
    grandTotal: NOK('349'),
    netTotal: NOK('279.2'),
    vatTotal: NOK('69.8'),
    vatAreas: [NOK('69.8'), NOK('0'), NOK('0')],
    vatRates: times(count, () => ({ rate: parseDecimal('0.25'), sales: NOK('349'), vat: NOK('69.8') })),
    openingCashBalance: NOK('2000'),
    closingCashBalance: NOK('2349'),
    discrepancy: NOK('0'),
    payments: times(count, () => ({ ...row, tendered: NOK('349') })),
    withdrawals: times(count, () => row),
    deposits: times(count, () => row),
  }
}

function journal(count: number): Journal {
  const line = { account: '1910', text: 'Cash', amount: NOK('349'), vatRate: '0.25' }
  return { lines: times(count, () => line), difference: NOK('0') }
}
