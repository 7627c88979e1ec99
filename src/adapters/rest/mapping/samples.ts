import type { BookingPlace, Bookings } from '../../../domain/books/bookings.ts'
import type { Journal } from '../../../domain/books/journal.ts'
import type { Settlement } from '../../../domain/books/settlement.ts'
import type { Delivery, DeliveryLine, GoodsLine, GoodsMovement } from '../../../domain/catalogue/goods.ts'
import type { TillOrder } from '../../../domain/orders/order.ts'
import type { OrderLineUpdate, OrderReturn, OrderUpdate } from '../../../domain/orders/order-update.ts'
import type { CustomerConsent, CustomerRecord } from '../../../domain/people/customer-record.ts'
import type { ForgottenCustomer } from '../../../domain/people/erasing/notice.ts'
import { parseDecimal } from '../../../domain/values/money.ts'
import type { StockLevel } from '../../../ports/stock.ts'
import { BOOKING_METHODS, type WrittenBooking } from './inputs.ts'

const one = parseDecimal(1)

const NOK = (amount: string) => ({ amount: parseDecimal(amount), currency: 'NOK' })

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

const address = {
  firstName: 'Kari',
  lastName: 'Nordmann',
  address1: 'Storgata 1',
  city: 'Oslo',
  postalCode: '0155',
  country: 'Norway',
  countryCode: 'NO',
}

function tillOrder(count: number): TillOrder {
  return {
    number: 'EA-77',
    orderNo: 'EA-77',
    receiptNo: '1002',
    transactionId: 'tx-1',
    comments: times(count, () => 'Gift wrapping, please'),
    contradiction: "The till's sums contradict each other: lines of 349.00 NOK, a total of 300.00 NOK.",
    createdAt: '2026-11-20T14:03:27',
    total: NOK('349'),
    lines: times(count, (index) => ({
      rowId: String(index + 1),
      gtin: '7090012340011',
      sku: 'TEE-BLK-M',
      name: 'T-shirt',
      brand: 'Nordlys',
      variant: '01',
      color: 'Black',
      size: 'M',
      number: '10234',
      group: 'Tops',
      season: 'AW26',
      imageUrl: 'https://images.example.com/tee.jpg',
      quantity: one,
      unitPrice: NOK('349'),
      total: NOK('349'),
      vat: NOK('69.8'),
      vatRate: parseDecimal('0.25'),
      fullPrice: NOK('399'),
      discount: NOK('50'),
      discountPercent: parseDecimal('0.1253'),
      reasons: times(count, () => 'Damaged'),
      shipFromOnlineStore: true,
    })),
    payments: times(count, () => ({
      type: 'Card',
      subType: 'Visa',
      amount: NOK('349'),
      tendered: NOK('349'),
      transaction: 'tx-1',
      slip: 'Approved',
    })),
    store: {
      number: '101',
      name: 'Oslo City',
      organizationNumber: '999888777',
      posId: '3',
      posName: 'Till 3',
      salesPerson: 'Ola',
      address,
    },
    customer: {
      firstName: 'Kari',
      lastName: 'Nordmann',
      companyName: 'Nordmann AS',
      email: 'kari.nordmann@example.com',
      phone: '+47 91234567',
      number: 'C-9',
      address,
    },
    customerId: '501',
    shippingAddress: address,
    fulfillment: { stockId: '12', stockName: 'Oslo City', posId: '3', personId: '55' },
    shipping: { carrierId: 'bring', carrierService: 'Parcel', rateId: 'rate-9', pickupPointId: 'point-3' },
  }
}

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
const store = { stockId: '12', stockNo: '101' }
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
  ...store,
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
  bookMovement: () => ({ ...place, movement: { ...movement, ...store, movementId: '880', at } }),
  bookCount: (count) => ({
    ...place,
    count: {
      ...store,
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
      ...store,
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
      ...store,
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

/*
 * What mappings are tried on when the hub starts: everything that there may be is there. `count` of each list: JSONata gives
 * a list of one bare, which only shows when there is one.
 */

const line: OrderLineUpdate = { key: '1', rowId: '1', gtin: '7090012340011', quantity: one, status: 'Picked' }

function orderUpdate(count: number): OrderUpdate {
  return {
    number: 'A1',
    platformId: '0d8f8a5e-2f0c-4a4e-9a53-6d9a52a1f001',
    status: 'Picked',
    shipments: times(count, parcel),
    lines: times(count, () => line),
    stockId: '12',
    stockName: 'Oslo City',
  }
}

function parcel(_: number, count = 1) {
  return { id: 'S-1', items: times(count, () => ({ gtin: '7090012340011', quantity: one })) }
}

function refundOf(count: number): OrderReturn {
  return {
    number: 'A1',
    refundId: '5b1f6a44-93a3-4e39-8f6c-9b8b8c1de002',
    status: 'Returned',
    isRefunded: false,
    lines: times(count, () => ({ ...line, status: 'Returned' })),
    stockId: '12',
    stockName: 'Oslo City',
  }
}

const customer: CustomerRecord = {
  customerId: '501',
  extId: 'C-9',
  email: 'kari.nordmann@example.com',
  firstName: 'Kari',
  lastName: 'Nordmann',
  companyName: 'Nordmann AS',
  phone: '+4791234567',
  address: 'Storgata 1',
  postalCode: '0155',
  city: 'Oslo',
  countryCode: 'NO',
}

const consent: CustomerConsent = {
  customerId: '501',
  extId: 'C-9',
  email: 'kari.nordmann@example.com',
  phone: '+4791234567',
  agreedSendEmail: true,
  agreedSendSms: false,
  agreedAt: '2026-11-20T14:01:00',
}

function forgottenOf(count: number): ForgottenCustomer {
  return {
    pseudonym: 'erased-7f3a01bc',
    customerIds: times(count, () => '501'),
    theirIds: times(count, () => '99'),
    emails: times(count, () => 'kari.nordmann@example.com'),
    orders: times(count, () => '12'),
  }
}

const stock: StockLevel = { location: 'oslo', gtin: '7090012340011', sku: 'TEE-BLK-M', level: parseDecimal(4) }

export function sampleOf(section: string, method: string, count: number): object {
  const key = 'SampleKind:1:sample-flow:'
  const theirId = '99'
  if (section === 'customers' && method === 'erase') return { key, theirId, forgotten: forgottenOf(count) }
  if (section === 'customers' && method === 'noteConsent') return { key, theirId, consent }
  if (section === 'customers') return method === 'upsert' ? { key, theirId, customer } : question(method, count)
  if (section === 'backOffice') return { key, ...bookingSample(method as WrittenBooking, count) }
  if (section === 'stock') return { key, stock, levels: times(count, () => stock) }
  if (method === 'search') return { number: 'A1' }
  // An order that is being created has no id there yet.
  return { key, ...(!isNew(method) && { theirId, ofTill: true }), ...orderSample(method, count) }
}

function isNew(method: string): method is 'create' | 'draft' {
  return method === 'create' || method === 'draft'
}

function orderSample(method: string, count: number): object {
  const order = orderUpdate(count)
  if (isNew(method)) return { order: tillOrder(count) }
  switch (method) {
    case 'decline':
      return { order, line, quantity: one }
    case 'ship':
      return { order, parcel: parcel(0, count) }
    case 'refund':
    case 'noteRefund':
      return { refund: refundOf(count), line, quantity: one }
    case 'expire':
      return { order: { number: order.number, lines: order.lines } }
    default:
      return { order }
  }
}

function question(method: string, count: number): object {
  if (method === 'byEmail') return { email: customer.email }
  return { phones: times(count, () => '+4791234567'), phone: '+4791234567', typed: '91234567' }
}
