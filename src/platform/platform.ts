import type { StoreRecord } from '../domain/places/store-index.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Customers } from './areas/customers/customers.ts'
import type { Costs, Freight, ListedPrices, Prices } from './areas/goods/prices.ts'
import type { ProductRemovals, Products } from './areas/goods/products.ts'
import type { Orders } from './areas/orders/orders.ts'
import type { Reservations } from './areas/orders/reservations.ts'
import type { Aggregates } from './areas/sales/aggregates.ts'
import type { Sales } from './areas/sales/sales.ts'
import type { SalesLines } from './areas/sales/sales-lines.ts'
import type { Settlements } from './areas/sales/settlements.ts'
import type { Counts } from './areas/stock/counts.ts'
import type { Deliveries, Transfers } from './areas/stock/deliveries.ts'
import type { Corrections, Stock, Stocks } from './areas/stock/stock.ts'
import type { StockMovements } from './areas/stock/stock-movements.ts'
import type { StockStatusArea } from './areas/stock/stock-status.ts'
import type { Operations } from './http/client.ts'
import type { Listed } from './http/read.ts'

/*
 * The platform as the hub uses it: results are read tolerantly into these shapes, failures are the three errors of
 * domain/values/errors.ts (permanent, retry later, unknown outcome), and no secret is in any of them.
 */

/** The thing as the platform wrote it, fields that the hub does not know included. It may hold personal data. */
interface Written {
  record?: Readonly<Record<string, unknown>>
}

/** A store, as `stores.list` reads it. */
export interface PlatformStore extends StoreRecord, Written {}

/** A webhook subscription of anybody's. */
export interface Subscription extends Written {
  id: string
  /** The kind. */
  event: string
  /** The address that it sends to; it may hold a token. */
  url: string
  storeId: string | null
}

/** A record of the platform's event log (spec, "Webhook event record"). */
export interface EventRecord extends Written {
  webhookId: string
  /** The id that the platform names the event by: the hub's transport key. */
  webhookEventId: string
  /** When it arose. Where the platform writes no zone, UTC is taken. */
  createdAt: Instant
  /** Text of the outcome. */
  status: string | null
  statusCode: number | null
  success: boolean
  runsCounter: number | null
  /** The event's payload, where it was asked for; undefined: not in the answer. */
  payload?: unknown
}

/** The two ids that name an event of the log. */
type EventName = Pick<EventRecord, 'webhookId' | 'webhookEventId'>

export interface LogAnswer extends Listed<EventRecord> {
  /** The records of the answer, those among them that were not asked for: not every dialect can ask for what failed alone. */
  answered: number
}

export interface EventQuery {
  webhookId: string
  /**
   * From and to, both included. The dialect decides how fine (days, or tenths of seconds), and asks for more on both sides,
   * since the platform's zone is not known: records outside may come back.
   */
  from: Instant
  to: Instant
  success?: boolean
  includePayload?: boolean
  includeRuns?: boolean
  /** Proof that the log reads `from` and `to` by the clock that it writes its records by: nothing more is asked for. */
  sameClock?: boolean
}

export interface Platform extends AsyncDisposable {
  operations: Operations
  products: Products
  customers: Customers
  orders: Orders
  sales: Sales
  salesLines: SalesLines
  stockMovements: StockMovements
  stockStatus: StockStatusArea
  settlements: Settlements
  prices: Prices
  stock: Stock
  deliveries: Deliveries
  aggregates: Aggregates
  corrections: Corrections
  costs: Costs
  counts: Counts
  freight: Freight
  listedPrices: ListedPrices
  productRemovals: ProductRemovals
  reservations: Reservations
  stocks: Stocks
  transfers: Transfers
  stores: {
    /** GET /api/Stores. */
    list(signal?: AbortSignal): Promise<Listed<PlatformStore>>
  }
  webhooks: {
    list(signal?: AbortSignal): Promise<Listed<Subscription>>
    /** Gives the id of what was made; null: the answer, whose shape is not shown, says none. */
    create(
      subscription: Omit<Subscription, 'id' | 'storeId' | 'record'> & { storeId?: string },
      signal?: AbortSignal,
    ): Promise<string | null>
    update(subscription: Subscription, signal?: AbortSignal): Promise<void>
    delete(id: string, signal?: AbortSignal): Promise<void>
    /** Names of the kinds that can be subscribed to. */
    types(signal?: AbortSignal): Promise<Listed<string>>
    schema(kind: string, signal?: AbortSignal): Promise<unknown>
  }
  events: {
    /** GET /api/WebhooksEvents/{webhookId}. */
    list(query: EventQuery, signal?: AbortSignal): Promise<LogAnswer>
    /** One event with its payload; null where the log does not have it. Not in the spec. */
    get(event: EventName, signal?: AbortSignal): Promise<EventRecord | null>
    /** ResendWebhookEvent: the platform sends the event again to the subscription's URL. */
    resend(event: EventName, signal?: AbortSignal): Promise<void>
  }
}
