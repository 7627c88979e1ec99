import type { Link } from '../domain/orders/link.ts'
import type { DeliveryState } from '../domain/queue/delivery.ts'
import type { Urgency } from '../domain/queue/queue-key.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Released } from './claim.ts'
import type { DeliveryColumn, EventColumn } from './reading/columns.ts'
import type { RowOf } from './schema.ts'

export interface SearchReach {
  upTo: number
  until: Instant | null
  behind: number
}

/** `delivery`: pending or dead; null: the last one is acknowledged. */
export interface LevelState {
  delivery: number | null
  state: DeliveryState
}

export interface PendingByFlow {
  flow: string
  deliveries: number
}

/** `next`: the id to go on from, as the limit was reached; null: complete. */
export interface Looked<Row> {
  rows: Row[]
  next: number | null
}

export interface EventFilter {
  id?: number
  kind?: string
  state?: EventState
  conflict?: boolean
  /** Shares its transport key with an earlier event. */
  reusedKey?: boolean
  dismissed?: boolean
  /** Only what the platform itself sent, not pulled. */
  webhooks?: true
  entity?: string
  entities?: readonly string[]
  since?: Instant
  until?: Instant
  before?: number
  after?: number
  limit?: number
}

type EventState = RowOf<'events'>['state']

export type EventRow = Pick<RowOf<'events'>, EventColumn>

export interface EventDetail extends EventRow {
  bodyHash: string
  headers: Record<string, string>
  /** Null: removed by retention, or refused for its size. */
  body: Uint8Array | null
  deliveries: DeliveryRow[]
  audit: EventDeed[]
}

export interface DeliveryFilter {
  id?: number
  event?: number
  events?: readonly number[]
  destination?: string
  flow?: string
  flows?: readonly string[]
  kind?: string
  state?: DeliveryState
  entity?: string
  /** Code of the last outcome, such as `unbalanced`. */
  code?: string
  since?: Instant
  until?: Instant
  before?: number
  limit?: number
}

export interface DeliveryRow extends Pick<RowOf<'deliveries'>, DeliveryColumn> {
  event: number
  kind: string
}

export interface DeliveryDetail extends DeliveryRow {
  effect: string | null
  released: Released | null
  attempts: Omit<RowOf<'attempts'>, 'deliveryId'>[]
  audit: Deed[]
}

export interface StorageStatus {
  destinations: DestinationStatus[]
  events: {
    unrouted: number
    quarantined: number
    conflicts: number
    reusedKeys: { count: number; last: Instant | null }
  }
}

export interface DestinationStatus {
  destination: string
  urgency: Urgency
  waiting: number
  /** Of the waiting, those with failed attempts. */
  retrying: number
  held: number
  dead: number
  oldest: Instant | null
  oldestWaiting: Instant | null
  oldestHeld: Instant | null
}

/** `endedAt` null: running, or its process died. */
export type JobRunRow = Omit<RowOf<'jobRuns'>, 'id' | 'job'>

export interface Audit {
  by: string
  reason: string | null
  at: Instant
  dryRun: boolean
  part?: Part | null
}

export interface Part {
  act: number | null
  after: number
  most: number
}

export interface Changed<Row = DeliveryRow> {
  matched: number | null
  changed: number
  sample: Row[]
  act: number | null
  next: number | null
}

export type ActRow = RowOf<'audit'>
export type Act = Omit<ActRow, 'id'>

export interface ActDetail extends ActRow {
  deliveries: DeliveryRow[]
  events: EventRow[]
}

export interface ActFilter {
  by?: string
  action?: string
  since?: Instant
  until?: Instant
  limit?: number
}

export interface Deed extends Pick<Act, 'at' | 'by' | 'action' | 'reason' | 'changed'> {
  act: number
}

export interface EventDeed extends Deed {
  delivery: number | null
}

export interface SubmissionDetail {
  id: number
  system: string
  resource: string
  key: string
  receivedAt: Instant
  items: number
  /** Lines, of `items`, that no destination wanted. */
  unrouted: number
  states: { destination: string; state: DeliveryState; count: number }[]
  end: SubmissionEnd | null
}

export interface SubmissionEnd {
  at: Instant
  lines: number
  refused: number
  faults: LineFaults[]
}

export interface LineFaults {
  line: number
  faults: string[]
}

export interface SubmissionItemFilter {
  states: readonly DeliveryState[]
  after?: number
  limit?: number
}

export interface SubmissionItem
  extends Pick<DeliveryRow, 'event' | 'entity' | 'destination' | 'state' | 'code' | 'why'> {
  line: number
  delivery: number
}

export interface OrderHistory {
  events: (EventRow & { submission: { id: number; system: string; resource: string; key: string } | null })[]
  deliveries: DeliveryDetail[]
  links: Link[]
  lookups: LookupRow[]
}

export interface LookupRow {
  at: Instant
  number: string
  found: string[]
  missing: string[]
  ms: number
}

export interface OverdueRow extends DeliveryRow {
  receivedAt: Instant
  effect: string | null
  reported: boolean
}

export interface LegalHold {
  event: number
  at: Instant
  by: string
  reason: string
}

export interface Holding {
  holdEvents(ids: readonly number[], audit: Audit): Promise<Held>
  unholdEvents(ids: readonly number[], audit: Audit): Promise<Held>
}

export interface Held {
  act: number | null
  changed: number
  missing: number[]
  left: number[]
}
