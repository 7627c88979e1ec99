import type { AnswerRead } from './http/endpoint.ts'
import type { OperationName } from './http/endpoints.ts'
import { customerShape, writeCustomer } from './resources/customers.ts'
import {
  ORDER_FIELDS,
  orderShape,
  reservationShape,
  writeReservation,
  writeReservationChange,
} from './resources/orders.ts'
import {
  COST_FIELDS,
  costShape,
  listedPriceShape,
  PRICE_FIELDS,
  priceAnywhereShape,
  priceListShape,
} from './resources/prices.ts'
import { productShape, writeBulkProduct, writeProduct, writeProductFilter } from './resources/products.ts'
import { SALE_FIELDS, salesLineShape, stockMovementShape } from './resources/sales.ts'
import {
  deliveryShape,
  levelShape,
  namedStockShape,
  readStoreDetails,
  stockStatusShape,
  storeShape,
  writeAdjustment,
  writeCorrection,
  writeDelivery,
  writeTransfer,
} from './resources/stock.ts'
import { eventShape, subscriptionShape } from './resources/webhooks.ts'

const within = (outer: string, names: readonly string[]) => [outer, ...names.map((name) => `${outer}.${name}`)]
const words = (names: string) => names.split(' ')
const list = (...fields: string[]): AnswerRead => ({ isList: true, fields })
const record = (...fields: string[]): AnswerRead => ({ isList: false, fields })

const BULK = record(
  ...words('created updated'),
  ...within('unprocessedProducts', words('product product.extId errors')),
)

const PAID = words('PaymentTypeId Type SubType Amount')

/** By documented names, which config may map. */
const READ: { readonly [Name in OperationName]?: AnswerRead } = {
  'stores.list': list(...storeShape.fields, ...readStoreDetails.fields),
  'webhooks.list': list(...subscriptionShape.fields),
  'webhooks.create': record('id'),
  'webhooks.types': list('name'),
  'webhooks.schema': record(),
  'events.list': list(...eventShape.fields, 'payload'),
  'events.get': record(...eventShape.fields, 'payload'),
  'products.save': record('extId'),
  'products.update': record('extId', 'productId'),
  'products.byExtId': record(...productShape.fields),
  'products.byGtin': list(...productShape.fields),
  'products.search': list(...productShape.fields),
  'products.count': record('count'),
  'products.bulkInsert': BULK,
  'products.bulkUpsert': BULK,
  'prices.lists': list(...priceListShape.fields),
  'stock.levels': list(...levelShape.fields),
  'deliveries.create': record('orderId'),
  'deliveries.list': list(...deliveryShape.fields),
  'salesLines.list': list(...salesLineShape.fields),
  'stockMovements.list': list(...stockMovementShape.fields),
  'stockStatus.list': list(...stockStatusShape.fields),
  'settlements.list': list(
    ...words(
      'SettlementId BatchNumber StoreId StoreNo StoreInfo StoreName PosId PosName PersonName SettlementTimeStamp',
    ),
    ...words('DateTimeFrom DateTimeTo ReceiptNoFrom ReceiptNoTo Currency GrossTotal GrossDiscount GrandTotal NetTotal'),
    ...words(
      'VATTotal VATArea1 VATArea2 VATArea3 OpeningCashBalance ClosingCashBalance Discrepancy Comment SAFT_ZReport',
    ),
    ...within('PaymentTypes', [...PAID, 'Currency', 'CurrencyTendered']),
    ...within('Withdrawals', PAID),
    ...within('Deposits', PAID),
  ),
  'sales.import': record('saleId'),
  'customers.obtain': record('customerId'),
  'customers.search': list(...customerShape.fields),
  'customers.count': record('count'),
  'orders.create': record('orderId'),
  'orders.read': record(...orderShape.fields),
  'listedPrices.read': list(...listedPriceShape.fields),
  'listedPrices.byGtin': record(
    ...within('prices', priceAnywhereShape.fields),
    ...within('costPrices', costShape.fields),
  ),
  'stocks.list': list(...namedStockShape.fields),
  'transfers.create': record('transferId'),
  'reservations.list': list(...reservationShape.fields),
  'freight.read': record('identity'),
}

export function answerReadOf(operation: OperationName): AnswerRead | null {
  return READ[operation] ?? null
}

const CUSTOMER_FILTER = words('emailContains customerExtIds')

const FIELDS: { readonly [Name in OperationName]?: readonly string[] } = {
  'webhooks.create': words('event url storeId'),
  'webhooks.update': words('id event url storeId'),
  'products.save': writeProduct.fields,
  'products.update': words('extId productid description images'),
  'products.search': [...writeProductFilter.fields, 'pageSize', 'pageSkip'],
  'products.count': writeProductFilter.fields,
  'products.bulkInsert': writeBulkProduct.fields,
  'products.bulkUpsert': writeBulkProduct.fields,
  'prices.saveList': PRICE_FIELDS,
  'prices.saveCosts': COST_FIELDS,
  'stock.adjust': writeAdjustment.fields,
  'stock.levels': words('stockIds useGTIN ins excludeStockReservations'),
  'deliveries.create': writeDelivery.fields,
  'sales.import': SALE_FIELDS,
  'customers.obtain': writeCustomer.fields,
  'customers.search': [...CUSTOMER_FILTER, 'pageSize', 'pageSkip'],
  'customers.count': CUSTOMER_FILTER,
  'orders.create': ORDER_FIELDS,
  'orders.update': ORDER_FIELDS,
  'corrections.create': writeCorrection.fields,
  'transfers.create': writeTransfer.fields,
  'reservations.create': writeReservation.fields,
  'reservations.change': writeReservationChange.fields,
}

export function bodyFieldsOf(operation: OperationName): readonly string[] | null {
  return FIELDS[operation] ?? null
}

/**
 * Must stand in the path or the query: without them a call would be about everything. `gtin|productId`: one of the two.
 */
const KEYS: { readonly [Name in OperationName]?: string } = {
  'webhooks.delete': 'webhookId',
  'webhooks.schema': 'webhookType',
  'events.list': 'webhookId',
  'events.get': 'webhookEventId',
  'events.resend': 'webhookEventId',
  'products.byExtId': 'product',
  'products.byGtin': 'gtin',
  'products.delete': 'product',
  'products.deleteGtins': 'product',
  'products.deleteGtin': 'gtin',
  'products.deleteGtinByExtId': 'gtin',
  'orders.read': 'orderNo',
  'orders.delete': 'orderNo',
  'listedPrices.read': 'listId gtin|productId',
  'listedPrices.delete': 'listId gtin|productId',
  'listedPrices.byGtin': 'gtin',
  'reservations.change': 'reservationId',
  'reservations.release': 'reservationId',
  'customers.delete': 'customerId',
}

export function keysOf(operation: OperationName): readonly (readonly string[])[] {
  return KEYS[operation]?.split(' ').map((names) => names.split('|')) ?? []
}
