import type { Accounts } from '../domain/accounting/journal.ts'
import type { Settlement } from '../domain/accounting/settlement.ts'
import type { Channels } from '../domain/catalogue/channel.ts'
import type { NamedCustomer } from '../domain/catalogue/submitted.ts'
import type { CustomerConsent } from '../domain/customers/customer-record.ts'
import type { OrderAssertion, RefundAssertion, SaleAssertion } from '../domain/orders/order-evidence.ts'
import type { PlacedOrder } from '../domain/orders/which-order.ts'
import type { ErasedCustomer } from '../domain/privacy/notice.ts'
import { type Event, payloadOf } from '../domain/queue/event.ts'
import type { Urgency } from '../domain/queue/queue-key.ts'
import type { ResolvedStore, StoreRef } from '../domain/stores/store-index.ts'
import type { Instant } from '../domain/values/instant.ts'
import { type Decimal, parseDecimal } from '../domain/values/money.ts'
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
  released: { by: string; reason: string } | null
  storeOf(ref: Partial<StoreRef>): ResolvedStore
}

export interface SettlementRef {
  settlementId: string
  days: string[]
}

export interface Flow extends GuardRules, Inputs {
  name: string
  kinds: readonly string[] | 'all'
  port: PortName
  method?: string
  atMostOnce?: true
  perDestination?: true
  whenInDoubt?: 'repeat' | 'hold'
  noLookup?: true
  latestWins?: true
  urgency: Urgency
  message?: OrderMessageType
  clock?: ClockName
  /** Its effect there causes no event of these kinds. */
  toOrigin?: true
  byChannel?: true
  /** Pure, never throws; runs in accept. `channels`: for `byChannel` only. */
  plan(event: EventToRoute, channels?: Channels): Step[]
  /** Facts that an event proves. Pure, never throws. */
  proves?(event: EventToRoute): string[]
  call(event: Event, step: Pick<Step, 'part'>, known: CallContext): Call | null
  /** A refusal while one of these is pending is retried. */
  retryWhilePending?: readonly string[]
}

/** What keeps a step from its call, each for a guard (queue/guards.ts). Pure. */
interface GuardRules {
  onlyIfNotified?(event: Event): boolean
  /** Ordering key of the steps that create what this one is about; waits for them, up to a day. */
  dependsOn?(event: Event): string | null
  /** Waits until earlier steps of another ordering key were tried. */
  dependsOnEarlier?: { flow: string; about(event: Event): string }
  /** Nothing to do if all of that flow's steps were superseded unsent. */
  undoes?: string
  /** A dead letter is not retried after later steps that restate it. */
  supersededBy?: {
    flows: readonly string[]
    elsewhere?(event: Event): string | null
    leaves(event: Event, later: Pick<Event, 'kind' | 'body'>): Event | null
  }
  /** Consent stated by an event, and the event without what was revoked later. */
  consent?: { by(event: Event): NamedCustomer | null; without(event: Event, said: CustomerConsent): Event | null }
  isStillTrue?(status: string): boolean
  /** For the operator, when a fact of `unless` contradicts and the platform cannot tell. */
  contradiction?(event: Event): string
  /** What a step asserts, verified against the platform's record. */
  assertionOf?(event: Event, step: Pick<Step, 'part'>): Assertion
}

/** What the call is told besides its event (queue/inputs.ts). Pure. */
interface Inputs {
  orderOf?(event: Event): string | null
  needsOrder?: true
  /** Who knows if the order is shipped; null: the event says it. */
  shippingSource?(event: Event): 'submissions' | 'anyone' | null
  articleOf?(event: Event, step: Pick<Step, 'part'>): string | null
  needsSettlement?(event: Event): SettlementRef | null
  needsNotice?: true
  prior?(event: Event, step: Pick<Step, 'part'>): readonly string[]
  applied?(event: Event, step: Pick<Step, 'part'>): AppliedQuantity | null
}

export type Assertion = OrderAssertion | RefundAssertion | SaleAssertion

/** A cumulative quantity, stored as links of this kind and id. */
export interface AppliedQuantity {
  kind: string
  id: string
  level: Decimal
  /** The level follows. A skipped effect counts as applied. */
  effects: string
  article: ArticleQuantity | null
  pays?: true
  ofNumber?: { id: string; effects: string; of: string }
}

export interface ArticleQuantity {
  of: string
  key: string
  others?: readonly string[]
  keys: readonly string[]
  level: Decimal
}

/** Steps with a deadline in config. `reported`: picked, customer not notified. */
export type ClockName = 'reported' | 'captured' | 'declined' | 'expired' | 'shipped' | 'refunded' | 'created' | 'placed'

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
  reported: parseDecimal(0),
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
