import type { Shape } from './from.ts'
import { flag, guessed, id, list, number, text, time } from './parts.ts'

/* Online orders in stores, and customers. What of an order is doubtful is held by its own rules (order-evidence, refund-evidence). */

/** Spec, "Omnichannel order update webhook payload". */
export const ORDER_UPDATE: Shape = {
  shownBy: 'spec, "Omnichannel order update webhook payload"',
  fields: {
    orderNo: id('spec', 'order.orderNo'),
    orderId: id('spec', 'order.id'),
    status: text('spec', 'order.status'),
    stockId: id('spec', 'order.fulfillmentLocation.stockId'),
    stockName: text('spec', 'order.fulfillmentLocation.stockName'),
    lines: list('spec', 'order.orderLines'),
    'lines.rowId': id('spec', 'rowId'),
    'lines.gtin': id('spec', 'gtin'),
    'lines.quantity': number('spec', 'quantity'),
    'lines.status': text('spec', 'status'),
    shipments: list('spec', 'order.fulfillmentLocation.shipments'),
    'shipments.id': id('spec', 'id'),
    'shipments.items': list('spec', 'items'),
    'shipments.items.gtin': id('spec', 'gtin'),
    'shipments.items.rowId': id('public', 'rowId'),
  },
  essentials: [['orderNo'], ['status']],
}

/** Events 9. */
export const ORDER_FULFILLED: Shape = guessed(ORDER_UPDATE, 'OmniChannelOrderUpdated')

/** Spec, "Refund update webhook payload". */
export const REFUND_UPDATE: Shape = {
  shownBy: 'spec, "Refund update webhook payload"',
  fields: {
    orderNo: id('spec', 'refund.orderNo'),
    refundId: id('spec', 'refund.id'),
    status: text('spec', 'refund.status'),
    isRefunded: flag('spec', 'refund.isRefunded'),
    stockId: id('spec', 'refund.fulfillmentLocation.stockId'),
    stockName: text('spec', 'refund.fulfillmentLocation.stockName'),
    lines: list('spec', 'refund.orderLines'),
    'lines.id': id('spec', 'id'),
    'lines.gtin': id('spec', 'gtin'),
    'lines.quantity': number('spec', 'quantity'),
    'lines.status': text('spec', 'status'),
  },
  essentials: [['orderNo'], ['refundId'], ['isRefunded']],
}

/** Events 3. */
export const CUSTOMER: Shape = {
  shownBy: 'public facts, "CustomerCreated payload"',
  fields: {
    customerId: id('public', 'customerId'),
    extId: id('public', 'customerExtId'),
    email: text('public', 'email'),
    firstName: text('public', 'firstName'),
    lastName: text('public', 'lastName'),
    companyName: text('public', 'companyName'),
    phone: text('public', 'phone'),
    phoneCountryPrefix: text('public', 'phoneCountryPrefix'),
    address: text('public', 'address1'),
    postalCode: text('public', 'postalCode'),
    city: text('public', 'city'),
    country: text('public', 'countryCode'),
    storeId: id('public', 'registeredStoreId'),
    updatedAt: time('public', 'updatedDateTime'),
    deleted: flag('public', 'deleted'),
    agreedSendEmail: flag('public', 'agreedSendEmail'),
    agreedSendSms: flag('public', 'agreedSendSMS'),
    agreedAt: time('public', 'gdprUpdatedDateTime'),
  },
  essentials: [['customerId'], ['extId', 'email', 'firstName', 'lastName', 'companyName', 'phone']],
}

/** Events 2. It may never have been changed since. */
export const NEW_CUSTOMER: Shape = {
  ...CUSTOMER,
  fields: { ...CUSTOMER.fields, createdAt: time('public', 'createdDateTime') },
}
