import type { Settlement } from '../domain/accounting/settlement.ts'
import type { Link } from '../domain/orders/link.ts'
import type { OrderEvidence } from '../domain/orders/order-evidence.ts'
import type { OrderReturn, OrderUpdate } from '../domain/orders/order-update.ts'
import type { PlacedOrder } from '../domain/orders/which-order.ts'
import type { DeliveryState } from '../domain/queue/delivery.ts'
import type { Identity } from '../domain/queue/event.ts'
import type { SearchKey } from '../domain/queue/search-keys.ts'
import type { ResolvedStore, StoreRef } from '../domain/stores/store-index.ts'
import type { Instant } from '../domain/values/instant.ts'

/** What guards may ask: the storage, and the platform's record. */
export interface Sources {
  deliveries(filter: OtherDeliveries): Promise<readonly OtherDelivery[]>
  event(id: number): Promise<{ body: Uint8Array | null } | null>
  find(keys: readonly SearchKey[], limit: number): Promise<readonly { event: { id: number; kind: string } }[]>
  links(destination: string, kind: string, ids: readonly string[]): Promise<Link[]>
  /** Effects that begin so. */
  effectsOf(state: 'delivered' | 'skipped', beginning: string): Promise<string[]>
  orders: OrderReader
  settlements: SettlementReader
  storeOf(ref: Partial<StoreRef>): ResolvedStore
}

/** Newest first. */
export interface OtherDeliveries {
  destination: string
  entity?: string
  flow?: string
  flows?: readonly string[]
  state?: DeliveryState
  /** Of events received since. */
  since?: Instant
  /** With a lower id. */
  before?: number
  limit: number
}

export interface OtherDelivery {
  id: number
  event: number
  kind: string
  entity: string | null
  state: DeliveryState
  /** Of its last outcome. */
  code: string | null
  firstTriedAt: Instant | null
}

export type NumberedOrder = Pick<OrderUpdate, 'number' | 'lines'>

/** Null: unknown, or the source cannot be asked. */
export interface OrderReader {
  placed(order: NumberedOrder, since: Instant, signal: AbortSignal): Promise<PlacedOrder | null>
  isSubmittedToShip(number: string): Promise<boolean | null>
  isSentByRecord(number: string, since: Instant, signal: AbortSignal): Promise<boolean | null>
  articleName(gtin: string, signal: AbortSignal): Promise<string | null>
  status(number: string, since: Instant, signal: AbortSignal): Promise<string | null>
  untakenCreation(number: string, since: Instant, signal: AbortSignal): Promise<Creation | null>
  verifier: Verifier
}

export interface SettlementRef {
  settlementId: string
  days: string[]
}

export type SettlementReader = (which: SettlementRef, signal: AbortSignal) => Promise<Settlement | null>

/** `operator`: config trusts webhooks; `none`: the platform cannot be asked. */
export type Verifier = 'operator' | 'none' | PlatformVerifier

/** The platform's answers, none older than `since`. */
export interface PlatformVerifier {
  order(number: string, since: Instant, signal: AbortSignal): Promise<OrderEvidence | null>
  /** False while it has never answered: its "no" proves nothing. */
  knowsOrders(): Promise<boolean>
  sent(kind: string, since: Instant, span: 'lately' | 'long', signal: AbortSignal): Promise<LoggedEvent[]>
}

export interface LoggedEvent {
  identity: Pick<Identity, 'key' | 'facts'> | null
  refund: OrderReturn | null
  creation: Creation | null
}

export interface Creation {
  orderNo: string
  receiptNo: string | null
}
