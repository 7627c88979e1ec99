import { WORKED } from '../domain/health/endpoint-use.ts'
import { isNoEndpointCode, UserError } from '../domain/values/errors.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Rate } from '../lib/rate-limiter.ts'
import { createClient, forgetfulBook, notingClient, type Operations, type UseBook } from './http/client.ts'
import { type EndpointOverrides, withOverrides } from './http/endpoint.ts'
import { type OperationName, PRESETS, type Preset } from './http/endpoints.ts'
import type { RejectedRowsLog } from './http/read.ts'
import { answerReadOf, bodyFieldsOf, keysOf } from './operation-fields.ts'
import { createCustomers } from './resources/customers.ts'
import { createOrders, createReservations } from './resources/orders.ts'
import { createFreight, createListedPrices, createPrices } from './resources/prices.ts'
import { createProductRemovals, createProducts } from './resources/products.ts'
import { createSales, createSalesLines, createSettlements, createStockMovements } from './resources/sales.ts'
import {
  createCorrections,
  createDeliveries,
  createStock,
  createStockStatus,
  createStocks,
  createStores,
  createTransfers,
} from './resources/stock.ts'
import { createEvents, createWebhooks } from './resources/webhooks.ts'

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
  uses?: UseBook | undefined
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
    deliveries: createDeliveries(client),
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
