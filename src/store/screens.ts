import type { Link } from '../domain/orders/link.ts'
import type { DeliveryState } from '../domain/queue/delivery.ts'
import type { Urgency } from '../domain/queue/lane.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Released } from './claim.ts'
import type { LevelStanding } from './reading/lists/level-standing.ts'
import type { Looked } from './reading/lists/looked.ts'
import type { OwedByFlow } from './reading/lists/owed-by-flow.ts'
import type { SearchReach } from './searching/search-reach.ts'

/** The screens that people read. Newest first; `before` is the id to go on from. */
export interface Screens {
  events(filter: EventFilter): Promise<EventRow[]>
  /** The same for people who wait: where no index answers, so many events are looked at. */
  lookForEvents(filter: EventFilter, look: number): Promise<Looked<EventRow>>
  event(id: number): Promise<EventDetail | null>
  deliveries(filter: DeliveryFilter): Promise<DeliveryRow[]>
  lookForDeliveries(filter: DeliveryFilter, look: number): Promise<Looked<DeliveryRow>>
  delivery(id: number): Promise<DeliveryDetail | null>
  /** How much is open or dead at a destination, by flow. */
  owedByFlow(of: Pick<DeliveryFilter, 'destination' | 'flow' | 'kind'>): Promise<OwedByFlow[]>
  /** How it stands with what a flow tells a destination about a subject, where the newest wins; null: it was never told. */
  levelStanding(destination: string, flow: string, entity: string): Promise<LevelStanding | null>
  status(): Promise<StoreStatus>
  /** A request of an own system; null: there is none. */
  submission(id: number): Promise<SubmissionDetail | null>
  /** Lines of it by what became of them, in their order; `after`: the line to go on from. */
  submissionItems(id: number, filter: SubmissionItemFilter): Promise<SubmissionItem[]>
  /** The history of one order, by its number; each list in time order. */
  order(number: string): Promise<OrderHistory>
  /** Deliveries of these `once` flows that are not done, and whose event is older than that; oldest first. */
  overdue(flows: readonly { flow: string; before: Instant }[], limit: number): Promise<OverdueRow[]>
  /** The acts of people, newest first. */
  acts(filter: ActFilter): Promise<ActRow[]>
  /** One act, with what it touched; null: there is none. */
  act(id: number): Promise<ActDetail | null>
  /** How far events can be found by what they say. */
  searchReach(): Promise<SearchReach>
  /** The last runs of a job; at least a hundred are kept. */
  jobRuns(name: string, limit: number): Promise<JobRunRow[]>
}

export interface EventFilter {
  id?: number
  kind?: string
  state?: EventState
  conflict?: boolean
  /** Events that came with the transport key of another event, or those that did not. */
  reusedKey?: boolean
  /** A person has said that nothing is to be done about it, or not. */
  dismissed?: boolean
  /** Only what the platform itself sent: nothing of own systems or of the hub, and nothing pulled. */
  webhooks?: true
  entity?: string
  /** Orders, as entities: any of these. */
  entities?: readonly string[]
  since?: Instant
  until?: Instant
  /** Ids below this one. */
  before?: number
  /** Ids above this one, oldest first (for working through them). */
  after?: number
  limit?: number
}

type EventState = 'routed' | 'unrouted' | 'quarantined'

export interface EventRow {
  id: number
  kind: string
  origin: string
  subscription: string | null
  state: EventState
  conflictWith: number | null
  receivedAt: Instant
  transportKey: string | null
  identity: string | null
  revision: number
  entity: string | null
  problem: string | null
  size: number
  /** Another event that came with the same transport key before. */
  sameKeyAs: number | null
  /** When a person said that nothing is to be done about it, who, and why; null: nobody did. */
  dismissedAt: Instant | null
  dismissedBy: string | null
  dismissedBecause: string | null
}

export interface EventDetail extends EventRow {
  bodyHash: string
  headers: Record<string, string>
  /** The body; null when retention has taken it, or it was refused for its size. */
  body: Uint8Array | null
  deliveries: DeliveryRow[]
  /** The acts of people on the event, and on its deliveries. */
  audit: EventDeed[]
}

/** Selects deliveries. Everything given must hold. */
export interface DeliveryFilter {
  id?: number
  event?: number
  /** The events that it is of: any of these. */
  events?: readonly number[]
  destination?: string
  flow?: string
  /** Flows: any of these. */
  flows?: readonly string[]
  kind?: string
  state?: DeliveryState
  entity?: string
  /** Why it is as it is: the code of its last outcome, such as `unbalanced`. */
  code?: string
  since?: Instant
  until?: Instant
  before?: number
  limit?: number
}

export interface DeliveryRow {
  id: number
  event: number
  kind: string
  flow: string
  part: string
  destination: string
  urgency: Urgency
  /** The delivery lets the others of its lane go first: a person tried many again, or planned many events again. */
  yields: boolean
  entity: string | null
  state: DeliveryState
  dueAt: Instant
  open: boolean
  tries: number
  firstTriedAt: Instant | null
  settledAt: Instant | null
  code: string | null
  why: string | null
}

export interface DeliveryDetail extends DeliveryRow {
  /** The fact that it brings about, if any. */
  effect: string | null
  /** The person who let it go when it was held for what it says, and why; null: nobody. */
  released: Released | null
  attempts: { at: Instant; ms: number; outcome: string; code: string; note: string | null }[]
  audit: Deed[]
}

export interface StoreStatus {
  destinations: DestinationStatus[]
  events: {
    unrouted: number
    quarantined: number
    conflicts: number
    /** Events that came with the transport key of another event, and when the last of them did. */
    reusedKeys: { count: number; last: Instant | null }
  }
}

/** The deliveries owed to one destination at one urgency. */
export interface DestinationStatus {
  destination: string
  urgency: Urgency
  waiting: number
  /** The waiting deliveries that have failed and wait for their next try. */
  retrying: number
  held: number
  dead: number
  /** When the event of the oldest waiting or held delivery was taken; null: there is none. */
  oldest: Instant | null
  /** The same of those that wait, and of those that are held: one that is held says nothing of how long the others wait. */
  oldestWaiting: Instant | null
  oldestHeld: Instant | null
}

/** One run of a job. */
export interface JobRunRow {
  startedAt: Instant
  /** The end of the run; null: it is under way, or its process ended during it. */
  endedAt: Instant | null
  /** Why it failed. */
  problem: string | null
  /** The run's own account of its work, if it did not fail. */
  note: string | null
}

/** The person who acts, and why. */
export interface Audit {
  by: string
  reason: string | null
  at: Instant
  /** Counts only. */
  dryRun: boolean
  /** Only so much of the selection now. Null or not given: all of it. */
  part?: Part | null
}

/** An act that is carried out part by part, so that whoever asked for it sees how far it is, and can stop it. */
export interface Part {
  /** The act that this goes on with; null: it begins. */
  act: number | null
  /** The id at which the part before ended; 0: there was none. */
  after: number
  /** How many at most. */
  most: number
}

export interface Changed<Row = DeliveryRow> {
  /** How many deliveries (or events) the selection holds that the verb applies to; null: told by the first part. */
  matched: number | null
  /** How many were changed (none in a dry run). */
  changed: number
  /** Rows that were changed, some of them, as they are after it. */
  sample: Row[]
  /** The act's id in the audit; null: a dry run. */
  act: number | null
  /** The id at which the next part begins; null: there is none. */
  next: number | null
}

/** An act of a person, done or refused: one row, however much it touched. */
export interface Act {
  at: Instant
  by: string
  action: string
  reason: string | null
  /** The selection that was asked for, such as the filter (JSON). */
  selection: string
  /** How many things it changed. */
  changed: number
  /** Why it was refused; null: it was not. */
  refused: string | null
}

export interface ActRow extends Act {
  id: number
}

export interface ActDetail extends ActRow {
  /** The first ones that it touched, or made. */
  deliveries: DeliveryRow[]
  events: EventRow[]
}

/** Selects acts. Everything given must hold. */
export interface ActFilter {
  by?: string
  action?: string
  since?: Instant
  until?: Instant
  limit?: number
}

/** An act as it stands at what it touched. */
export interface Deed extends Pick<Act, 'at' | 'by' | 'action' | 'reason' | 'changed'> {
  act: number
}

/** `delivery`: which of the event's it touched; null: the event itself. */
export interface EventDeed extends Deed {
  delivery: number | null
}

/** A request of an own system: what it was, and what became of its lines. */
export interface SubmissionDetail {
  id: number
  system: string
  /** The resource of /v1: `products`, `orders` … */
  resource: string
  /** The request's Idempotency-Key. */
  key: string
  receivedAt: Instant
  /** Lines that were taken as events. */
  items: number
  /** Lines, of those, that no destination wanted. */
  unrouted: number
  /** The lines' deliveries, by destination and state; states that none is in are left out. */
  states: { destination: string; state: DeliveryState; count: number }[]
  /** The request's end; null: it was not read to its end (yet). */
  end: SubmissionEnd | null
}

export interface SubmissionEnd {
  at: Instant
  lines: number
  /** How many were refused, of which the first are listed. */
  refused: number
  faults: LineFaults[]
}

/** The faults of a line, each as a sentence that names the field. */
export interface LineFaults {
  line: number
  faults: string[]
}

export interface SubmissionItemFilter {
  states: readonly DeliveryState[]
  after?: number
  limit?: number
}

export interface SubmissionItem {
  line: number
  event: number
  entity: string | null
  delivery: number
  destination: string
  state: DeliveryState
  code: string | null
  why: string | null
}

/** The history of one order. */
export interface OrderHistory {
  /** The events of the order's entity. */
  events: (EventRow & { submission: { id: number; system: string; resource: string; key: string } | null })[]
  /** The deliveries of those events, and others of the order's entity, with their tries and what people did. */
  deliveries: DeliveryDetail[]
  links: Link[]
  lookups: LookupRow[]
}

/** A till's question for an order. */
export interface LookupRow {
  at: Instant
  /** The number as asked. */
  number: string
  /** Sources that had it. */
  found: string[]
  /** Sources that did not answer in time, or failed. */
  missing: string[]
  ms: number
}

/** A delivery that should have been made by now. `told`: another delivery of the same effect was delivered. */
export interface OverdueRow extends DeliveryRow {
  /** When its event was taken. */
  receivedAt: Instant
  effect: string | null
  told: boolean
}
