import { WORKED } from '../domain/health/health.ts'
import { isNoEndpointCode, UserError } from '../domain/values/errors.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Rate } from '../lib/rate-limiter.ts'
import { createClient } from './http/client.ts'
import { type AnswerRead, type EndpointOverrides, withOverrides } from './http/endpoint.ts'
import { type OperationName, PRESETS, type Preset } from './http/endpoints.ts'
import { type EndpointUseLog, forgetfulBook, notingClient, type Operations } from './http/operation-log.ts'
import type { Listed, RejectedRowsLog, WireRecord } from './http/read.ts'
import {
  createOrders,
  createReservations,
  ORDER_FIELDS,
  orderShape,
  reservationShape,
  writeReservation,
  writeReservationChange,
} from './resources/orders.ts'
import {
  COST_FIELDS,
  costShape,
  createFreight,
  createListedPrices,
  createPrices,
  listedPriceShape,
  PRICE_FIELDS,
  priceAnywhereShape,
  priceListShape,
} from './resources/prices.ts'
import {
  createProductRemovals,
  createProducts,
  productShape,
  writeBulkProduct,
  writeProduct,
  writeProductFilter,
} from './resources/products.ts'
import {
  createCustomers,
  createSales,
  createSalesLines,
  createSettlements,
  createStockMovements,
  customerShape,
  SALE_FIELDS,
  salesLineShape,
  stockMovementShape,
  writeCustomer,
} from './resources/sales.ts'
import {
  createCorrections,
  createDeliveries,
  createStock,
  createStockStatus,
  createStocks,
  createStores,
  createTransfers,
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
import { createEvents, createWebhooks, eventShape, subscriptionShape } from './resources/webhooks.ts'

export interface PlatformOptions {
  preset: Preset
  /** The spec's {base_url}; of the public API `https://<host>/restapi/V2`. */
  baseUrl: string
  /** Default: baseUrl with `spec`, the host of baseUrl with `frontsystems-v2`. */
  odataUrl?: string | undefined
  apiKey: string
  subscriptionKey: string
  endpoints?: EndpointOverrides | undefined
  /** Of one request (ms); default 20 seconds. */
  timeout?: number | undefined
  connections?: number | undefined
  /** Bytes of one answer; default 64 MB. */
  maxAnswer?: number | undefined
  /** Retries included; default no limit. */
  rate?: Rate | undefined
  uses?: EndpointUseLog | undefined
  rejectedRows?: RejectedRowsLog | undefined
  clock?: Clock
}

/** Throws a UserError that names the key of an unusable option. */
export function createPlatform(options: PlatformOptions) {
  const { preset, apiKey, subscriptionKey, endpoints = {}, clock = systemClock } = options
  const { timeout = 20_000, connections = 4, maxAnswer = 64 * 1024 * 1024 } = options
  const rest = checkedUrl('platform.baseUrl', options.baseUrl)
  const odata = options.odataUrl ?? (preset === 'spec' ? rest : new URL(rest).origin)
  const bases = { rest, odata: checkedUrl('platform.odataUrl', odata) }
  const documented = { presets: Object.values(PRESETS), fieldsOf: bodyFieldsOf, keysOf, answerOf: answerReadOf }
  const spoken = withOverrides(PRESETS[preset], endpoints, documented)
  const { uses = forgetfulBook() } = options
  const addressOf = (operation: OperationName) => {
    const { method, base, path } = spoken[operation]
    return `${method} ${bases[base].replace(/\/$/, '')}${path}`
  }
  const isShown = (operation: OperationName) => spoken[operation].known.call !== 'guess' && !spoken[operation].absent
  const cameOf = (operation: OperationName) => uses.cameOf({ operation, address: addressOf(operation) })
  const asked = createClient({
    endpoints: spoken,
    bases,
    keysOf,
    apiKey: checkedKey('platform.apiKey', apiKey),
    subscriptionKey: checkedKey('platform.subscriptionKey', subscriptionKey),
    timeout,
    connections,
    maxAnswer,
    rate: checkRate(options.rate),
    rejectedRows: options.rejectedRows,
    clock,
  })
  const client = notingClient(asked, addressOf, uses)
  const operations: Operations = {
    isShown,
    isProven: async (operation) =>
      isShown(operation) || (!spoken[operation].absent && (await cameOf(operation)) === WORKED),
    async absence(operation) {
      if (spoken[operation].absent) return 'config'
      const came = spoken[operation].known.call === 'guess' ? await cameOf(operation) : null
      return came !== null && isNoEndpointCode(came) ? came : null
    },
    unshown: () =>
      (Object.keys(spoken) as OperationName[])
        .filter((operation) => spoken[operation].known.call === 'guess' && !spoken[operation].absent)
        .map((operation) => ({ operation, address: addressOf(operation) })),
  }
  return {
    operations,
    stores: createStores(client),
    webhooks: createWebhooks(client),
    events: createEvents(client),
    products: createProducts(client, clock),
    prices: createPrices(client),
    stock: createStock(client),
    goodsDeliveries: createDeliveries(client),
    customers: createCustomers(client),
    orders: createOrders(client),
    sales: createSales(client),
    salesLines: createSalesLines(client),
    stockMovements: createStockMovements(client),
    stockStatus: createStockStatus(client),
    settlements: createSettlements(client),
    corrections: createCorrections(client),
    freight: createFreight(client),
    listedPrices: createListedPrices(client),
    productRemovals: createProductRemovals(client),
    reservations: createReservations(client),
    stocks: createStocks(client),
    transfers: createTransfers(client),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

/** No message quotes the URL, which may hold a secret. */
function checkedUrl(key: string, text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) throw new UserError(`${key}: it must be an http or https URL.`)
  if (url.username || url.password || url.search || url.hash)
    throw new UserError(`${key}: it must be an address only, without user, password, query or fragment.`)
  if (/\/api\/?$/i.test(url.pathname))
    throw new UserError(`${key}: leave out /api at its end; the paths of the endpoints begin with it.`)
  return text
}

function checkedKey(key: string, text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text
  throw new UserError(`${key}: it must be printable ASCII without blanks or line breaks, and not empty.`)
}

function checkRate(rate: Rate | undefined): Rate | undefined {
  if (rate === undefined || (rate.perSecond > 0 && Number.isFinite(rate.perSecond))) return rate
  throw new UserError('platform.rate.perSecond: it must be a number above 0, such as 10.')
}

export type { EventQuery, EventRecord, LogAnswer, Subscription } from './resources/webhooks.ts'

export type PlatformStore = Omit<ReturnType<typeof storeShape>, 'record'> & { record?: WireRecord }

export interface Platform extends Omit<ReturnType<typeof createPlatform>, 'stores'> {
  stores: { list(signal?: AbortSignal): Promise<Listed<PlatformStore>> }
}

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
  'goodsDeliveries.create': record('orderId'),
  'goodsDeliveries.list': list(...deliveryShape.fields),
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
  'goodsDeliveries.create': writeDelivery.fields,
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

/** Must stand in path or query, or a call would be about everything. `gtin|productId`: one of the two. */
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
