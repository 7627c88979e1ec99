import { currencyOfPayments } from '../read-field.ts'
import { any, currency, flag, guessed, id, list, near, nestedIn, number, type Shape, text, time } from './from.ts'

const SALE_FIELDS: Shape['fields'] = {
  receiptNo: text('spec', 'receiptNo'),
  orderNo: id('spec', 'orderNo'),
  createdAt: time('spec', 'createdDateTime'),
  total: number('spec', 'total'),
  // Not a payment's: that is the tendered currency (spec, "POS settlement").
  currency: { ...currency('spec', 'store.currency'), otherwise: currencyOfPayments },
  vatTotal: number('spec', 'vatTotal'),
  storeNo: text('spec', 'store.storeExtId'),
  storeName: text('spec', 'store.storeName'),
  posId: text('spec', 'store.posId'),
  countryCode: text('spec', 'store.address.countryCode'),
  customer: any('spec', 'customer'),
  lines: list('spec', 'orderLines'),
  'lines.rowId': id('spec', 'rowId'),
  'lines.gtin': id('spec', 'gtin'),
  'lines.sku': text('spec', 'externalSKU'),
  'lines.name': text('spec', 'name', 'receiptLabel'),
  'lines.quantity': number('spec', 'quantity'),
  'lines.price': number('spec', 'price'),
  'lines.vat': number('spec', 'vat'),
  'lines.vatRate': number('spec', 'vatPercent'),
  'lines.ships': flag('spec', 'shipFromOnlineStore'),
  payments: list('spec', 'paymentLines'),
  'payments.type': text('spec', 'type'),
  'payments.amount': number('spec', 'amount'),
}

const GOODS_SOLD = [
  ['createdAt'],
  ['total'],
  ['currency'],
  ['storeNo', 'storeName', 'posId'],
  ['lines'],
  ['lines.gtin', 'lines.sku', 'lines.name'],
  ['lines.quantity'],
  ['lines.price'],
]

const PAID = [...GOODS_SOLD, ['payments'], ['payments.amount']]

const TAXED = ['vatTotal', 'lines.vat', 'lines.vatRate']

/** Spec, "Sale payload". */
export const SALE: Shape = {
  shownBy: 'spec, "Sale payload"',
  fields: SALE_FIELDS,
  essentials: [['receiptNo'], ...PAID],
  ifThere: TAXED,
}

/** Spec, Events 8, and fulfillmentLocation. */
export const ENDLESS_AISLE: Shape = {
  shownBy: 'spec, "Sale payload" with fulfillmentLocation',
  fields: SALE_FIELDS,
  // Else goods already taken home would be shipped.
  essentials: [...SALE.essentials, ['lines.ships']],
  ifThere: TAXED,
}

/** Events 16: may have an order number only. */
export const SALE_FROM_OUTSIDE: Shape = {
  ...guessed(SALE, 'SaleCreated'),
  essentials: [['receiptNo', 'orderNo'], ...PAID],
}

/** Spec, "Receipt webhook payload". */
export const RECEIPT: Shape = {
  shownBy: 'spec, "Receipt webhook payload"',
  fields: {
    channel: text('spec', 'channel'),
    recipient: text('spec', 'recipient'),
    recipientName: text('spec', 'recipientName'),
    signature: any('spec', 'signatureInfo'),
    ...nestedIn('sendReceipt', SALE_FIELDS),
  },
  essentials: [['channel'], ['recipient'], ['receiptNo'], ...PAID],
  ifThere: TAXED,
}

// A basket has its own number and no VAT before payment.
const { receiptNo: _receiptNo, vatTotal: _vatTotal, ...UNPAID } = guessed(SALE, '').fields

/** Events 24. */
export const BASKET: Shape = {
  shownBy: 'nobody; read like a sale that is not paid yet',
  fields: {
    ...UNPAID,
    number: { ...id('guess', 'orderNo', 'basketId', 'basketGuid'), inTurn: true },
    storeId: id('guess', 'storeId'),
    currency: { ...currency('guess', 'store.currency', 'currency'), inTurn: true },
  },
  essentials: [['number'], ...GOODS_SOLD],
  ifThere: ['lines.ships', 'lines.vat', 'lines.vatRate'],
}

const STORE: Shape['fields'] = {
  storeNo: text('guess', 'storeExtId', 'storeNo', 'store.storeExtId'),
  storeId: id('guess', 'storeId'),
  posId: text('guess', 'posId', 'store.posId'),
  currency: { ...currency('guess', 'currency', 'store.currency'), inTurn: true },
  countryCode: text('guess', 'store.address.countryCode'),
}

const IN_STORE = ['storeNo', 'posId']

/** Events 6. */
export const INVOICE: Shape = {
  shownBy: 'nobody',
  fields: {
    ...STORE,
    invoiceId: id('guess', 'invoiceId', 'id'),
    number: id('guess', 'invoiceNo'),
    receiptNo: text('guess', 'receiptNo'),
    amount: number('guess', 'amount'),
    vatTotal: number('guess', 'vatTotal'),
    at: time('guess', 'createdDateTime'),
    invoicedOn: time('guess', 'invoiceDate'),
    dueOn: time('guess', 'dueDate'),
    customerId: id('guess', 'customer.customerId'),
    companyName: text('guess', 'customer.companyName'),
    firstName: text('guess', 'customer.firstName'),
    lastName: text('guess', 'customer.lastName'),
    email: text('guess', 'customer.email'),
  },
  essentials: [['invoiceId', 'number'], ['at', 'invoicedOn'], ['amount'], ['currency'], IN_STORE],
}

/** Events 23. The card's token is not read. */
export const GIFT_CARD: Shape = {
  shownBy: 'nobody; nearest: a card, and what is booked on one, of the API (public facts), both without a currency',
  fields: {
    ...STORE,
    transactionId: id('guess', 'transactionId', 'id'),
    giftCardId: id('guess', 'giftCardId'),
    type: text('guess', 'type'),
    amount: near(number('guess', 'amount'), 'amount'),
    balance: number('guess', 'balance'),
    receiptNo: text('guess', 'receiptNo'),
    at: time('guess', 'createdDateTime'),
  },
  essentials: [['transactionId'], ['at'], ['amount'], ['currency'], IN_STORE],
  misleading: {
    list: null,
    name: 'initialAmount',
    unless: 'transactionId',
    fields: ['transactionId', 'amount'],
    because: 'initialAmount is there: id and amount are those of the card, not of what happened with it',
  },
}

/** Events 22. */
export const TERMINAL: Shape = {
  shownBy: 'nobody',
  fields: {
    ...STORE,
    reconciliationId: id('guess', 'reconciliationId', 'id'),
    terminalId: text('guess', 'terminalId'),
    amount: number('guess', 'amount'),
    count: number('guess', 'count'),
    at: time('guess', 'printedDateTime', 'createdDateTime'),
    schemes: list('guess', 'schemes'),
    'schemes.scheme': text('guess', 'scheme'),
    'schemes.count': number('guess', 'count'),
    'schemes.amount': number('guess', 'amount'),
  },
  essentials: [['reconciliationId'], ['at'], ['amount'], ['currency'], [...IN_STORE, 'terminalId']],
}

/** Events 19: totals alone are enough; the rest is read from the platform. */
export const SETTLEMENT: Shape = {
  shownBy: 'public facts, and spec, "POS settlement", for the one that is pulled',
  fields: {
    settlementId: id('public', 'settlementId'),
    currency: currency('public', 'currency'),
    storeNo: text('public', 'storeNo', 'storeExtId'),
    storeId: id('public', 'storeId'),
    posId: text('public', 'posId'),
    settledAt: time('public', 'settlementTimeStamp'),
    to: time('public', 'DateTimeTo'),
    grandTotal: number('public', 'grandTotal'),
  },
  essentials: [['settlementId'], ['to', 'settledAt'], ['currency'], ['storeNo', 'storeId', 'posId']],
}
