import type { FindingSort, StoredFinding } from '../domain/catalogue/finding.ts'
import type { MirrorRow, MirrorSet, StoredMirrorRow } from '../domain/catalogue/mirror.ts'
import type { WatermarkChange } from '../domain/completeness/completeness.ts'
import type { CoveredChange, Gap, GapChange, StoredGap, UncoveredChange } from '../domain/completeness/gap.ts'
import type { JobRow } from '../domain/health/health.ts'
import type { Link } from '../domain/orders/link.ts'
import type { DeliveryState } from '../domain/queue/delivery.ts'
import type { Urgency } from '../domain/queue/queue-key.ts'
import type { RetainedEvent } from '../domain/retention.ts'
import type { ApiKey } from '../domain/scope.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Released } from './claim.ts'
import type { DeliveryColumn, EventColumn } from './read-models/dialect.ts'
import type { RowOf } from './schema.ts'

export interface ReconciliationChange {
  gaps?: readonly GapChange[]
  uncovered?: readonly UncoveredChange[]
  covered?: readonly CoveredChange[]
  watermarks?: readonly WatermarkChange[]
}

export type GapText = Omit<StoredGap, 'subject' | 'evidence' | 'ended'> & { body: string }

export function toGapText(key: string, { subject, evidence, ended, ...columns }: Gap): Omit<GapText, 'id'> {
  return { key, ...columns, body: JSON.stringify({ subject, evidence, ended }) }
}

export function toStoredGap({ body, ...columns }: GapText): StoredGap {
  return { ...columns, ...JSON.parse(body) }
}

export type FindingText = Omit<StoredFinding, 'says'> & { body: string }

export function toStoredFinding<S extends FindingSort>({ body, ...row }: FindingText): StoredFinding<S> {
  return { ...row, says: JSON.parse(body) }
}

/** JSON text crosses threads cheaper than objects. */
export type MirrorText = Omit<StoredMirrorRow, 'body'> & { body: string }

export function toStoredMirrorRow(row: MirrorText): StoredMirrorRow {
  return { ...row, body: JSON.parse(row.body) }
}

export function current(rows: readonly MirrorRow[]): MirrorRow[] {
  const rowOf = new Map<string, MirrorRow>()
  for (const row of rows) {
    const key = `${row.set}\0${row.key}`
    const before = rowOf.get(key)
    if (!before || !isOlder(row, before)) rowOf.set(key, row)
  }
  return [...rowOf.values()]
}

export function isOlder(row: Pick<MirrorRow, 'version' | 'tie'>, than: Pick<MirrorRow, 'version' | 'tie'>): boolean {
  return row.version === than.version ? row.tie < than.tie : row.version < than.version
}

export type StoredCustomer = RowOf<'customers'>
export type StoredStore = Omit<RowOf<'stores'>, 'former'>

/** For the check alone: never in an answer or a log. */
export interface StoredApiKey extends ApiKey {
  /** SHA-256, hex. The secret is 256 random bits: a slow hash adds nothing. */
  secretHash: string
}

export type Pause = Pick<RowOf<'pauses'>, 'until' | 'why'>

export function isInForce(pause: Pause | undefined, now: Instant): pause is Pause {
  return pause !== undefined && (pause.until === null || pause.until > now)
}

export interface JobLease {
  now: Instant
  /** Milliseconds from then on; several hubs count by the database server's clock. */
  lease: number
}

export interface JobStart extends JobLease {
  /** Only if the job's last start is still this one (null: never). */
  after?: Instant | null
}

export interface JobClaim {
  row: JobRow
  fence: number
}

export type JobEnd = { at: Instant; state?: string; note: string } | { at: Instant; problem: string }

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

export type PendingByFlow = Pick<DeliveryRow, 'flow'> & { deliveries: number }

/** `next`: the place to go on from, as the limit was reached; null: complete. */
export interface ListPage<Row, Place = number> {
  rows: Row[]
  next: Place | null
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
  audit: EventAuditEntry[]
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
  audit: AuditEntry[]
}

/** What failed for one cause at one destination, or out-of-place events of one kind. */
export interface Failures {
  deliveries: FailedDeliveries[]
  events: FailedEvents[]
  /** So many were looked at; there may be more. */
  cut: boolean
}

interface Failed {
  count: number
  oldest: Instant
  newest: number
  /** Of the newest one. */
  why: string | null
}

export interface FailedDeliveries extends Failed {
  destination: string
  state: 'held' | 'dead'
  /** Unknown whether it has happened. */
  inDoubt: boolean
  code: string | null
}

export interface FailedEvents extends Failed {
  kind: string
  cause: 'unrouted' | 'quarantined' | 'conflict'
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
  part?: CommandSlice | null
  /** Of the console's user. */
  role?: string | null
  /** From where. */
  address?: string | null
}

export interface CommandSlice {
  act: number | null
  after: number
  most: number
}

export interface Changed<Row = DeliveryRow> {
  matched: number | null
  changed: number
  sample: Row[]
  /** Of a dry run. */
  oldest?: Row | null
  act: number | null
  next: number | null
}

export type AuditRow = Omit<RowOf<'audit'>, 'words' | 'hash'>
/** What is left out is null, 0 or empty. */
export type NewAuditRow = Pick<AuditRow, 'at' | 'by' | 'action'> &
  Partial<Pick<AuditRow, 'reason' | 'changed' | 'refused' | 'role' | 'address'>> & { selection?: object }
/** As it is chained. */
export type ChainedAct = RowOf<'audit'>

export type BulkOutcome = NonNullable<RowOf<'bulkActs'>['outcome']>

/** An act on all that a filter finds, with its entry of the audit. `endedAt` null: it goes on. */
export type BulkAct = RowOf<'bulkActs'> &
  Pick<AuditRow, 'at' | 'by' | 'role' | 'address' | 'action' | 'selection' | 'reason' | 'changed'>

export type ConsoleUser = Omit<RowOf<'consoleUsers'>, 'password'>
export type StoredConsoleUser = RowOf<'consoleUsers'>
export type ConsoleSession = RowOf<'consoleSessions'>

export interface ActDetail extends AuditRow {
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

export interface AuditEntry extends Pick<AuditRow, 'at' | 'by' | 'action' | 'reason' | 'changed'> {
  act: number
}

export interface EventAuditEntry extends AuditEntry {
  delivery: number | null
}

export type SubmissionRow = Omit<RowOf<'submissions'>, 'end'>

export interface SubmissionDetail extends SubmissionRow {
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
  events: (EventRow & { submission: Omit<SubmissionRow, 'receivedAt'> | null })[]
  deliveries: DeliveryDetail[]
  links: Link[]
  lookups: LookupRow[]
}

export type LookupRow = Pick<RowOf<'lookups'>, 'at' | 'number' | 'ms'> & Record<'found' | 'missing', string[]>

export interface OverdueRow extends DeliveryRow {
  receivedAt: Instant
  effect: string | null
  reported: boolean
}

export type LegalHold = Omit<RowOf<'legalHolds'>, 'eventId'> & { event: number }

export interface LegalHoldResult {
  act: number | null
  changed: number
  missing: number[]
  left: number[]
}

export type AgeingEvent = Pick<EventRow, 'id' | 'kind' | 'receivedAt' | 'entity' | 'size'> & { deliveries: number }

export interface RetainedEvents {
  upTo: number
  events: RetainedEvent[]
}

/** `seen`: ids covered, from the first on; 0: call again. */
export interface DeletedEvents {
  events: number
  deliveries: number
  attempts: number
  seen: number
}

export interface DeletedPage<Place> {
  dropped: number
  after: Place | null
}

export type Acknowledged = Pick<RowOf<'acknowledged'>, 'destination' | 'flow' | 'subject'>
export type AcknowledgedPage = ListPage<Acknowledged, Acknowledged>

/** `now`: instants later than this are from a clock that was ahead and do not end the walk. */
export interface Aged {
  before: Instant
  now: Instant
}

export interface OldSubmissions extends Aged {
  after: number
  limit: number
}

export interface OldAttempts extends OldSubmissions {
  kinds: Readonly<Record<string, Instant>>
}

export type OldRecords =
  | ({ type: 'lookups' } & Aged)
  | ({ type: 'audit' } & Aged)
  /** `yyyy-mm-dd`; rows without a day stay. */
  | { type: 'mirror'; set: MirrorSet; before: string }

export interface StorageSize {
  bytes: number
  reusable: number
}

/** More than the age by which anything here is no longer young. */
const TO_COME = 3 * 24 * 3_600_000

/** Days later than `before` is a clock that was ahead: such a row does not hold up those behind it. */
export function isYoung(noted: Instant, before: Instant): boolean {
  return noted >= before && noted < before + TO_COME
}
