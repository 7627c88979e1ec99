import { flag, guessed, id, list, number, type Shape, text, time } from './from.ts'
import {
  ADJUSTMENT,
  COUNT,
  DELIVERY,
  DELIVERY_NOT_SHOWN,
  MOVEMENT,
  RESERVATION_ENDED,
  RESERVATION_MADE,
  TRANSFER_RECEIVED,
  TRANSFER_SENT,
} from './goods.ts'
import {
  BASKET,
  ENDLESS_AISLE,
  GIFT_CARD,
  INVOICE,
  RECEIPT,
  SALE,
  SALE_FROM_OUTSIDE,
  SETTLEMENT,
  TERMINAL,
} from './sales.ts'

/** Online orders and customers. Assertions of orders are verified by their own rules. */

/** Spec, "Omnichannel order update webhook payload". */
const ORDER_UPDATE: Shape = {
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
const REFUND_UPDATE: Shape = {
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
const CUSTOMER: Shape = {
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

/** Events 2; may lack a change date. */
const NEW_CUSTOMER: Shape = {
  ...CUSTOMER,
  fields: { ...CUSTOMER.fields, createdAt: time('public', 'createdDateTime') },
}

export const SHAPES: Readonly<Record<string, Shape>> = {
  SaleCreated: SALE,
  CustomerCreated: NEW_CUSTOMER,
  CustomerUpdated: CUSTOMER,
  DeliveryItemsReceived: DELIVERY_NOT_SHOWN,
  DeliveryCompleted: DELIVERY_NOT_SHOWN,
  InvoiceCreated: INVOICE,
  StockMovementCreated: MOVEMENT,
  OmniChannelEndlessAisleOrderCreated: ENDLESS_AISLE,
  OmniChannelOrderFulfilled: ORDER_FULFILLED,
  OmniChannelOrderRefundUpdated: REFUND_UPDATE,
  OmniChannelOrderUpdated: ORDER_UPDATE,
  ProductTransferCreated: TRANSFER_SENT,
  ProductTransferReceived: TRANSFER_RECEIVED,
  ProductTransferVirtualCreated: TRANSFER_SENT,
  ProductTransferVirtualReceived: TRANSFER_RECEIVED,
  SaleExternalCreated: SALE_FROM_OUTSIDE,
  StockAdjustmentCreated: ADJUSTMENT,
  StockCountReconciled: COUNT,
  POSSettlementCreated: SETTLEMENT,
  StockReservationCreated: RESERVATION_MADE,
  StockReservationExpired: RESERVATION_ENDED,
  BankterminalReconciliationPrinted: TERMINAL,
  GiftCardTransactionCreated: GIFT_CARD,
  SavedForOnlineCheckoutCreated: BASKET,
  OmniChannelSendReceiptCreated: RECEIPT,
  DeliveryCreated: DELIVERY,
  DeliveryUpdated: DELIVERY,
}

export function shapeOf(kind: string): Shape | null {
  return Object.hasOwn(SHAPES, kind) ? (SHAPES[kind] ?? null) : null
}

/** Kinds with guessed fields, in spec order. */
export const GUESSED_KINDS: readonly string[] = Object.entries(SHAPES)
  .filter(([, { fields }]) => Object.values(fields).some(({ from }) => from === 'guess'))
  .map(([kind]) => kind)
