import { WORKED } from '../domain/health/health.ts'
import { isNoEndpointCode, UserError } from '../domain/values/errors.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Rate } from '../lib/rate-limiter.ts'
import { createClient } from './http/client.ts'
import { type AnswerRead, type EndpointOverrides, withOverrides } from './http/endpoint.ts'
import { type OperationName, PRESETS, type Preset } from './http/endpoints.ts'
import { type EndpointUseLog, forgetfulBook, notingClient, type Operations } from './http/operation-log.ts'
import type { Listed, RejectedRowsLog, WireRecord } from './http/read.ts'
import * as orders from './resources/orders.ts'
import * as prices from './resources/prices.ts'
import * as products from './resources/products.ts'
import * as sales from './resources/sales.ts'
import * as stock from './resources/stock.ts'
import { createEvents, createWebhooks, eventShape, subscriptionShape } from './resources/webhooks.ts'

export interface PlatformOptions {
  preset: Preset
  /** The spec's {base_url}; of the public API `https://<host>/restapi/V2`. */
  baseUrl: string
  /** Default: baseUrl with `spec`, the host of baseUrl with `frontsystems-v2`. */
  odataUrl?: string | undefined
  /** Their names may lead to private addresses. */
  allowPrivate?: boolean | undefined
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
    allowPrivate: options.allowPrivate,
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
    stores: stock.createStores(client),
    webhooks: createWebhooks(client),
    events: createEvents(client),
    products: products.createProducts(client, clock),
    prices: prices.createPrices(client),
    stock: stock.createStock(client),
    goodsDeliveries: stock.createDeliveries(client),
    customers: sales.createCustomers(client),
    orders: orders.createOrders(client),
    sales: sales.createSales(client),
    salesLines: sales.createSalesLines(client),
    stockMovements: sales.createStockMovements(client),
    stockStatus: stock.createStockStatus(client),
    settlements: sales.createSettlements(client),
    corrections: stock.createCorrections(client),
    freight: prices.createFreight(client),
    listedPrices: prices.createListedPrices(client),
    productRemovals: products.createProductRemovals(client),
    reservations: orders.createReservations(client),
    stocks: stock.createStocks(client),
    transfers: stock.createTransfers(client),
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

export type PlatformStore = Omit<ReturnType<typeof stock.storeShape>, 'record'> & { record?: WireRecord }

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
  'stores.list': list(...stock.storeShape.fields, ...stock.readStoreDetails.fields),
  'webhooks.list': list(...subscriptionShape.fields),
  'webhooks.create': record('id'),
  'webhooks.types': list('name'),
  'webhooks.schema': record(),
  'events.list': list(...eventShape.fields, 'payload'),
  'events.get': record(...eventShape.fields, 'payload'),
  'products.save': record('extId'),
  'products.update': record('extId', 'productId'),
  'products.byExtId': record(...products.productShape.fields),
  'products.byGtin': list(...products.productShape.fields),
  'products.search': list(...products.productShape.fields),
  'products.count': record('count'),
  'products.bulkInsert': BULK,
  'products.bulkUpsert': BULK,
  'prices.lists': list(...prices.priceListShape.fields),
  'stock.levels': list(...stock.levelShape.fields),
  'goodsDeliveries.create': record('orderId'),
  'goodsDeliveries.list': list(...stock.deliveryShape.fields),
  'salesLines.list': list(...sales.salesLineShape.fields),
  'stockMovements.list': list(...sales.stockMovementShape.fields),
  'stockStatus.list': list(...stock.stockStatusShape.fields),
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
  'customers.search': list(...sales.customerShape.fields),
  'customers.count': record('count'),
  'orders.create': record('orderId'),
  'orders.read': record(...orders.orderShape.fields),
  'listedPrices.read': list(...prices.listedPriceShape.fields),
  'listedPrices.byGtin': record(
    ...within('prices', prices.priceAnywhereShape.fields),
    ...within('costPrices', prices.costShape.fields),
  ),
  'stocks.list': list(...stock.namedStockShape.fields),
  'transfers.create': record('transferId'),
  'reservations.list': list(...orders.reservationShape.fields),
  'freight.read': record('identity'),
}

export function answerReadOf(operation: OperationName): AnswerRead | null {
  return READ[operation] ?? null
}

const CUSTOMER_FILTER = words('emailContains customerExtIds')

const FIELDS: { readonly [Name in OperationName]?: readonly string[] } = {
  'webhooks.create': words('event url storeId'),
  'webhooks.update': words('id event url storeId'),
  'products.save': products.writeProduct.fields,
  'products.update': words('extId productid description images'),
  'products.search': [...products.writeProductFilter.fields, 'pageSize', 'pageSkip'],
  'products.count': products.writeProductFilter.fields,
  'products.bulkInsert': products.writeBulkProduct.fields,
  'products.bulkUpsert': products.writeBulkProduct.fields,
  'prices.saveList': prices.PRICE_FIELDS,
  'prices.saveCosts': prices.COST_FIELDS,
  'stock.adjust': stock.writeAdjustment.fields,
  'stock.levels': words('stockIds useGTIN ins excludeStockReservations'),
  'goodsDeliveries.create': stock.writeDelivery.fields,
  'sales.import': sales.SALE_FIELDS,
  'customers.obtain': sales.writeCustomer.fields,
  'customers.search': [...CUSTOMER_FILTER, 'pageSize', 'pageSkip'],
  'customers.count': CUSTOMER_FILTER,
  'orders.create': orders.ORDER_FIELDS,
  'orders.update': orders.ORDER_FIELDS,
  'corrections.create': stock.writeCorrection.fields,
  'transfers.create': stock.writeTransfer.fields,
  'reservations.create': orders.writeReservation.fields,
  'reservations.change': orders.writeReservationChange.fields,
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
