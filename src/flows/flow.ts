import type { Accounts } from '../domain/books/accounts.ts'
import type { Settlement } from '../domain/books/settlement.ts'
import type { Channels } from '../domain/catalogue/channel.ts'
import type { NamedCustomer } from '../domain/catalogue/submitted.ts'
import type { OrderClaim, RefundClaim, SaleClaim } from '../domain/orders/order-evidence.ts'
import type { PlacedOrder } from '../domain/orders/which-order.ts'
import type { CustomerConsent } from '../domain/people/consent.ts'
import type { ForgottenCustomer } from '../domain/people/erasing/notice.ts'
import type { KnownPlace, StoreRef } from '../domain/places/store-index.ts'
import { type Event, payloadOf } from '../domain/queue/event.ts'
import type { Urgency } from '../domain/queue/lane.ts'
import type { Instant } from '../domain/values/instant.ts'
import { type Decimal, parseDecimal } from '../domain/values/money.ts'
import type { OrderMessageType } from '../ports/messages.ts'
import type { Call, PortName } from '../ports/ports.ts'

/** An event as planning sees it: before it has an id, with its JSON read. */
export interface Planned {
  kind: string
  origin: string
  identity: string | null
  entity: string | null
  payload: unknown
  /** When the hub took it. */
  receivedAt: Instant
}

/** One thing to do about an event. */
export interface Step {
  /** Tells the steps of one flow apart (`shipment-2`); empty for the only one. Part of the delivery's key. */
  part: string
  /** Steps about the same thing go out in order; null: in any. */
  entity: string | null
  /** The instant before which the step does not go out. */
  notBefore?: Instant
  /** Equal values may go out in one call. */
  batch?: string
  /** When it happened, as the platform wrote it: a destination may gather a day of a store (`daily` in config). */
  at?: string
  /** Names what is sent. Where the destination acknowledged the same for this subject last, nothing is sent, unless forced. */
  digest?: string
  /** The thing that the digest is of, where that is not the entity. */
  subject?: string
  /**
   * Grows with each change of the subject: what is older than what the destination acknowledged last is not sent. Null: the event does
   * not say it. A flow whose newest wins gives one, or null, with each of its steps, or never: without any, the later event is newer.
   */
  version?: number | null
  force?: true
  /** The fact that a `once` flow brings about (domain/orders/order-facts.ts), by which it is owed once, whatever event calls for it. */
  effect?: string
  /** The name of that effect where nobody tells which of several of one number it is of (payloads/order-update.ts). */
  effectOfNumber?: string
  /** What the fact says, where nobody tells what its number is unique in: another one under that name is for a person to see. */
  said?: string
  /** Facts that overtake it: once an event has proven one of them, it is not made, unless the platform says that it still holds. */
  unless?: readonly string[]
  /** The only destinations that it is for, of those that could carry it out. */
  to?: readonly string[]
}

/** Everything that carrying out a step may need to know, besides the event. */
export interface Known {
  /** How much the destination was told before, for a flow with a `ledger`. */
  told: Decimal
  /** The destination has given money back for the line, for a flow with a `ledger`. */
  paid: boolean
  /** The person whom the destination is to forget, for a flow that `needsNotice`; null: nobody knows who it was any more. */
  notice?: ForgottenCustomer | null
  /** Effects that are done and begin as the flow's `prior` says. */
  prior: readonly string[]
  /** The order, for a flow that `needsOrder`. */
  order: PlacedOrder | null
  /** The goods of the order are sent to the customer, for an event of which the flow `asksIfSent`; null: nobody who was asked can tell. */
  isSent: boolean | null
  /** The name of the article that the flow asks for with `articleOf`; null: nobody knows it. */
  articleName: string | null
  /** The whole settlement, as the platform has it, for a flow that `needsSettlement`. */
  settlement: Settlement | null
  /** Where the destination sells from (`stocks` and `channels` in config). */
  channels: Channels
  /** The destination's accounts (`accounts` in config); null: it has none. */
  accounts: Accounts | null
  /** The person who let the step go although it is held for its contents, and why; null: nobody. */
  released: { by: string; reason: string } | null
  /** The store that is meant, by the platform's list of stores. */
  storeOf(ref: Partial<StoreRef>): KnownPlace
}

/** The name of a settlement that is to be read from the platform. */
export interface SettlementRef {
  settlementId: string
  /** On which it was made, and that of its last sale, where known. */
  days: string[]
}

/** A rule of the business: these kinds make these steps on this port. */
export interface Flow {
  name: string
  kinds: readonly string[] | 'all'
  port: PortName
  /** Only for destinations whose port has this method. */
  method?: string
  /** The effect must not happen twice, whatever happens (an order, a refund, a message). */
  once?: true
  /** With `once`: once to each destination. Several may keep books of the same fact. */
  each?: true
  /** The way on for an uncertain `once` effect that no `find` can settle. */
  onUnknown?: 'repeat' | 'hold'
  /** No system can be asked whether the effect is there, though its port can look up others: `onUnknown` decides. */
  noFind?: true
  /** Only the newest of an entity matters: older ones that still wait are superseded by it (levels, prices). */
  latestWins?: true
  urgency: Urgency
  /** A message about orders: only for destinations that ask for it (`messages` in config). */
  message?: OrderMessageType
  /** The clock by which operators are told that a step is late (`tillbridge late`). */
  clock?: ClockName
  /** Steps go to the system that the event came from, too: what they do there makes no event of the flow's kinds. */
  toOrigin?: true
  /** Steps differ from one destination to the next, by where each sells from. */
  byChannel?: true
  /**
   * Runs when the event is taken; pure, and never throws. None: nothing to do about this one. `channels`: the destination's,
   * of a flow `byChannel`; else there are none.
   */
  plan(event: Planned, channels?: Channels): Step[]
  /** The facts that an event proves, whether anybody wants its steps or not; pure, and never throws. */
  proves?(event: Planned): string[]
  /** The call that carries a step out; null: nothing of it is left to do. Pure. */
  call(event: Event, step: Pick<Step, 'part'>, known: Known): Call | null
  /**
   * The entity of the steps that make what a step of this flow is about, where others make it (an order of the shop): while one of
   * those is owed to the same destination it waits, and where the destination does not have the thing, it waits for it for a day.
   */
  madeBy?(event: Event): string | null
  /**
   * Later steps, about the same entity if nothing else is said, that undo one of this flow once they are made (a deletion, of what was
   * saved before), or say anew what it says: what was dead is not made after them, whoever tries it again. `flows`: theirs; `leaves`: the event as such an event
   * leaves it to be made; null: nothing of it.
   */
  undoneBy?: {
    flows: readonly string[]
    /** The entity of such steps, where it is another and they have a line of their own; null: any. */
    elsewhere?(event: Event): string | null
    leaves(event: Event, later: Pick<Event, 'kind' | 'body'>): Event | null
  }
  /**
   * What an event says that a customer agreed to: who it is, null where it says no such thing; and the event without what they have
   * withdrawn, null where nothing is left of it. What is tried again, or has waited, is not made over a withdrawal that a till has told since.
   */
  agreed?: {
    by(event: Event): NamedCustomer | null
    without(event: Event, said: CustomerConsent): Event | null
  }
  /**
   * Earlier steps of another flow, with a line of their own, that say the same otherwise: while such a one was not tried yet, a step of this
   * flow waits. `about`: what their entities begin with.
   */
  afterEarlier?: { flow: string; about(event: Event): string }
  /** The flow whose steps, of the same entity, this one takes back: where all of them were overtaken before they were made, nothing is left to do. */
  takesBack?: string
  /** Flows that make what a step of this one is about (products): what is refused while one of theirs is owed there, is tried again. */
  follows?: readonly string[]
  /** Whether a step of this event is for those destinations only that acknowledged something of its subject before. */
  onlyIfTold?(event: Event): boolean
  /** The number of the order that it is about. */
  orderOf?(event: Event): string | null
  /** `call` needs to know that order. */
  needsOrder?: true
  /**
   * Who is to say whether the goods of the event's order are sent, or fetched: own systems' submissions, or the platform's record, too. Null:
   * the event says it.
   */
  asksIfSent?(event: Event): 'submissions' | 'anybody' | null
  /** With `needsOrder`: the GTIN of an article of it whose name `call` would like to know. */
  articleOf?(event: Event, step: Pick<Step, 'part'>): string | null
  /**
   * The claim of a step that moves money, tells a customer or cancels: it goes out only where the platform's own
   * record bears that out, since a webhook alone is the word of whoever has its token. Runs after `call`; pure.
   */
  claims?(event: Event, step: Pick<Step, 'part'>): Claimed
  /** The settlement that `call` needs to know; null: the event says all of it. */
  needsSettlement?(event: Event): SettlementRef | null
  /** `call` needs to know whom the destination is to forget. */
  needsNotice?: true
  /** Whether an overtaken step is to be made all the same, by the order's status as the platform has it now. */
  stillHolds?(status: string): boolean
  /**
   * The words for a person where a fact of `unless` contradicts the step, and the platform cannot tell which of them is so: the step
   * is held then. Without it, such a step is not made.
   */
  contradiction?(event: Event): string
  /** The beginnings of effects of which `call` needs to know whether they are done: what was done before may contradict it. */
  prior?(event: Event, step: Pick<Step, 'part'>): readonly string[]
  /** The level that the step is about (so many declined): the call is about the part of it that the destination was not told yet. */
  ledger?(event: Event, step: Pick<Step, 'part'>): Ledger | null
}

export type Claimed = OrderClaim | RefundClaim | SaleClaim

/** How many of a line there are, all in all. What a destination was told of it is kept as links of this kind and id. */
export interface Ledger {
  kind: string
  id: string
  level: Decimal
  /** The beginning of effects about this line; the level follows. An effect that a person skipped was settled by that person. */
  effects: string
  /** The article of the line, where the event names one: a line may get the id of its row only later, or lose it. */
  article: ArticleLedger | null
  /** The destination gives money back by it. */
  pays?: true
  /** Names of the line from before orders of one number were told apart, or where nobody tells which order it is of. */
  ofNumber?: LedgerNames
}

/** `of`: what ids of lines begin with, as in ArticleLedger. */
interface LedgerNames {
  id: string
  effects: string
  of: string
}

export interface ArticleLedger {
  /** The beginning of the ids of lines; the key of a line follows. */
  of: string
  /** The key of a line that goes by the article alone. */
  key: string
  /** Such keys of more lines that have become one with this. */
  others?: readonly string[]
  /** The keys of the event's lines of this article. */
  keys: readonly string[]
  /** How many of it there are on all of these. */
  level: Decimal
}

/**
 * Things that customers wait for, each with a time in config after which it is late. `told`: the goods are picked, and the
 * customer does not know. The others are named after the step that is still to be made: captured, refunded, created …
 */
export type ClockName = 'told' | 'captured' | 'declined' | 'expired' | 'shipped' | 'refunded' | 'created' | 'placed'

/** Fields that are one thing together: an address is not put together from two. */
const TOGETHER = [
  ['address', 'postalCode', 'city', 'countryCode'],
  ['phone', 'phoneCountryPrefix'],
]

/**
 * The event without what a later one has said anew of the same thing, each of which says only what it changes; null: nothing but its
 * names (`names`) is left.
 */
export function withoutSaidSince(event: Event, later: object, names: readonly string[]): Event | null {
  const isSaid = (field: string) => (later as Record<string, unknown>)[field] !== undefined
  const isSaidSince = (field: string) => (TOGETHER.find((one) => one.includes(field)) ?? [field]).some(isSaid)
  const payload = payloadOf(event) as object
  const left = Object.entries(payload).filter(([field]) => names.includes(field) || !isSaidSince(field))
  if (left.length === Object.keys(payload).length) return event
  if (left.every(([field]) => names.includes(field))) return null
  return { ...event, body: Buffer.from(JSON.stringify(Object.fromEntries(left))) }
}

/** Everything that a call may ask about the world, of which nothing was found out, by nobody; but for how stores are named. */
export const NOTHING_KNOWN: Omit<Known, 'storeOf'> = {
  told: parseDecimal(0),
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
