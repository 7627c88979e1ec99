import type { Accounts } from '../domain/accounting/journal.ts'
import type { Settlement } from '../domain/accounting/settlement.ts'
import type { Channels } from '../domain/catalogue/channel.ts'
import type { ClockName } from '../domain/health/hub-health.ts'
import type { Link } from '../domain/orders/link.ts'
import type { OrderEvidence } from '../domain/orders/order-evidence.ts'
import type { OrderReturn, OrderUpdate } from '../domain/orders/order-update.ts'
import type { PlacedOrder } from '../domain/orders/which-order.ts'
import type { ErasedCustomer } from '../domain/privacy/notice.ts'
import type { DeliveryState } from '../domain/queue/delivery.ts'
import { type Event, type Identity, payloadOf } from '../domain/queue/event.ts'
import type { Outcome } from '../domain/queue/outcome.ts'
import type { Urgency } from '../domain/queue/queue-key.ts'
import type { SearchKey } from '../domain/queue/search-keys.ts'
import type { ResolvedStore, StoreRef } from '../domain/stores/store-index.ts'
import type { Instant } from '../domain/values/instant.ts'
import { type Decimal, ZERO } from '../domain/values/money.ts'
import type { Call, OrderMessageType, PortName } from '../ports/ports.ts'

export interface EventToRoute {
  kind: string
  origin: string
  identity: string | null
  entity: string | null
  payload: unknown
  receivedAt: Instant
}

export interface Step {
  part: string
  entity: string | null
  notBefore?: Instant
  batch?: string
  at?: string
  /** Content hash: not sent if the destination last acknowledged the same for the subject. */
  digest?: string
  subject?: string
  /** Older than acknowledged is not sent. */
  version?: number | null
  force?: true
  effect?: string
  /** Its name by number alone (payloads/order-update.ts). */
  keyByNumber?: string
  /** Other content under that name needs an operator. */
  said?: string
  /** Facts that supersede the step, unless the platform confirms that it still holds. */
  unless?: readonly string[]
  to?: readonly string[]
}

export interface CallContext {
  reported: Decimal
  paid: boolean
  notice?: ErasedCustomer | null
  prior: readonly string[]
  order: PlacedOrder | null
  isSent: boolean | null
  articleName: string | null
  settlement: Settlement | null
  channels: Channels
  accounts: Accounts | null
  released: Released | null
  storeOf: Sources['storeOf']
}

/** An operator's decision that a held delivery goes out. */
interface Released {
  by: string
  reason: string
}

/** A business rule: which events make which steps, and how each is done. */
export interface Flow {
  name: string
  kinds: readonly string[] | 'all'
  port: PortName
  method?: string
  urgency: Urgency
  /** Pure, never throws; runs in accept. `channels`: for `byChannel` only. */
  plan(event: EventToRoute, channels?: Channels): Step[]
  /** Facts that an event proves. Pure, never throws. */
  proves?(event: EventToRoute): string[]
  /** Asked in order before the call, and after a refusal (guards.ts, context.ts). */
  guards?: readonly Guard[]
  /** Pure. Null: nothing is left to do. */
  call(event: Event, step: Pick<Step, 'part'>, known: CallContext): Call | null

  // How its steps are delivered.
  atMostOnce?: true
  perDestination?: true
  latestWins?: true
  whenInDoubt?: 'repeat' | 'hold'
  noLookup?: true

  // Where they go.
  /** Its effect there causes no event of these kinds. */
  toOrigin?: true
  byChannel?: true
  message?: OrderMessageType
  clock?: ClockName
}

/** Keeps a step from its call, takes away what does not hold any more, or adds to what the call is told. */
export interface Guard {
  name: GuardName
  /** Null: the step goes on as it is. Throws a WaitError, RetryLaterError or HeldError. */
  check?(step: Guarded, sources: Sources, signal: AbortSignal): Promise<Verdict | null>
  /** What becomes of a step that the destination refused. `isPending`: is one of these flows under way there? */
  onRefusal?(
    refusal: Outcome & { type: 'dead' },
    step: Pick<Guarded, 'event' | 'now'>,
    isPending: IsPending,
  ): Promise<Outcome>
}

export type GuardName =
  | ('dependsOn' | 'dependsOnEarlier' | 'undoes' | 'supersededBy' | 'respectsConsent' | 'onlyIfNotified')
  | ('stillTrue' | 'verifyWithPlatform' | 'retryWhilePending')
  | ('remainingQuantity' | 'priorEffects' | 'erasureNotice' | 'placedOrder' | 'shipping' | 'articleName')
  | 'settlementRecord'

/** A step before its call. */
export interface Guarded {
  delivery: {
    destination: string
    entity: string | null
    tries: number
    firstTriedAt: Instant | null
    released: Released | null
  }
  part: string
  /** What earlier guards have left of it. */
  event: Event
  now: Instant
  /** The event that has proven one of the facts of `unless`. */
  invalidated: number | null
  /** The destination has acknowledged nothing of the subject. */
  unacknowledged?: true
  /** What earlier guards have found out. */
  known: CallContext
  /** Superseded while in doubt: its effect is looked up, nothing is sent. */
  onlyLook: boolean
  /** As far as is known. Throws what the call throws. */
  makesCall(): boolean
}

/** `mayLook`: where an earlier call may have had its effect, that is looked up all the same. */
export type Verdict =
  | { superseded: string; code: 'invalidated' | 'nothing-left'; mayLook?: true }
  | { event: Event; without: string }
  /** `kept`: links to store with a success. */
  | { known: Partial<CallContext>; kept?: Link[] }

export type IsPending = (flows: readonly string[]) => Promise<boolean>

export function hasGuard({ guards = [] }: Pick<Flow, 'guards'>, name: GuardName): boolean {
  return guards.some((guard) => guard.name === name)
}

/** Steps with a deadline in config. `reported`: picked, customer not notified. */
/** Replaced as a unit. */
const TOGETHER = [
  ['address', 'postalCode', 'city', 'countryCode'],
  ['phone', 'phoneCountryPrefix'],
]

export function withoutRestated(event: Event, later: object, names: readonly string[]): Event | null {
  const isSaid = (field: string) => (later as Record<string, unknown>)[field] !== undefined
  const isSaidSince = (field: string) => (TOGETHER.find((one) => one.includes(field)) ?? [field]).some(isSaid)
  const payload = payloadOf(event) as object
  const left = Object.entries(payload).filter(([field]) => names.includes(field) || !isSaidSince(field))
  if (left.length === Object.keys(payload).length) return event
  if (left.every(([field]) => names.includes(field))) return null
  return { ...event, body: Buffer.from(JSON.stringify(Object.fromEntries(left))) }
}

export const EMPTY_CONTEXT: Omit<CallContext, 'storeOf'> = {
  reported: ZERO,
  paid: false,
  prior: [],
  order: null,
  isSent: null,
  articleName: null,
  settlement: null,
  channels: {},
  accounts: null,
  released: null,
}

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
