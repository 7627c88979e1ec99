import type { Shape } from './from.ts'
import { flag, guessed, list, number, text, time } from './parts.ts'

/* Online orders in stores, and customers. What of an order is doubtful is held by its own rules (order-evidence, refund-evidence). */

/** Spec, "Omnichannel order update webhook payload". */
export const ORDER_UPDATE: Shape = {
  shownBy: 'spec, "Omnichannel order update webhook payload"',
  fields: {
    orderNo: text('spec', 'order.orderNo'),
    orderId: text('spec', 'order.id'),
    status: text('spec', 'order.status'),
    stockId: text('spec', 'order.fulfillmentLocation.stockId'),
    stockName: text('spec', 'order.fulfillmentLocation.stockName'),
    lines: list('spec', 'order.orderLines'),
    'lines.rowId': text('spec', 'rowId'),
    'lines.gtin': text('spec', 'gtin'),
    'lines.quantity': number('spec', 'quantity'),
    'lines.status': text('spec', 'status'),
    shipments: list('spec', 'order.fulfillmentLocation.shipments'),
    'shipments.id': text('spec', 'id'),
    'shipments.items': list('spec', 'items'),
    'shipments.items.gtin': text('spec', 'gtin'),
    'shipments.items.rowId': text('public', 'rowId'),
  },
  essentials: [['orderNo'], ['status']],
}

/** Events 9. */
export const ORDER_FULFILLED: Shape = guessed(ORDER_UPDATE, 'OmniChannelOrderUpdated')

/** Spec, "Refund update webhook payload". */
export const REFUND_UPDATE: Shape = {
  shownBy: 'spec, "Refund update webhook payload"',
  fields: {
    orderNo: text('spec', 'refund.orderNo'),
    refundId: text('spec', 'refund.id'),
    status: text('spec', 'refund.status'),
    isRefunded: flag('spec', 'refund.isRefunded'),
    stockId: text('spec', 'refund.fulfillmentLocation.stockId'),
    stockName: text('spec', 'refund.fulfillmentLocation.stockName'),
    lines: list('spec', 'refund.orderLines'),
    'lines.id': text('spec', 'id'),
    'lines.gtin': text('spec', 'gtin'),
    'lines.quantity': number('spec', 'quantity'),
    'lines.status': text('spec', 'status'),
  },
  essentials: [['orderNo'], ['refundId'], ['isRefunded']],
}

/** Events 3. */
export const CUSTOMER: Shape = {
  shownBy: 'public facts, "CustomerCreated payload"',
  fields: {
    customerId: text('public', 'customerId'),
    extId: text('public', 'customerExtId'),
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
    storeId: text('public', 'registeredStoreId'),
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
