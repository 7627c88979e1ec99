import type { MirrorSet, StoredMirrorRow } from '../domain/catalogue/mirror.ts'
import type { GapFilter, StoredGap } from '../domain/completeness/gap.ts'
import type { QueueKey } from '../domain/queue/queue-key.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { createKeyLookup } from './accepting.ts'
import type { Arrival, NewDelivery, Unindexed, Verdict } from './arrival.ts'
import type { ClaimLimits, ClaimResult, Claims } from './claim.ts'
import type { CompressPayloads } from './payload.ts'
import type { PersonalChange, PersonalTableName, Scrubbed } from './personal-places.ts'
import type { Reading } from './read-models/reading.ts'
import type {
  Audit,
  Changed,
  DeliveryFilter,
  EventFilter,
  EventRow,
  JobClaim,
  JobStart,
  LegalHoldResult,
  Pause,
  StorageSize,
} from './rows.ts'
import type { createSearch } from './search-index.ts'
import type { changing } from './tables/audit.ts'
import type { Later } from './tables/statement.ts'
import type { statements, transactions } from './tables/tables.ts'

type Tables = Later<typeof statements & typeof transactions>
/** Of the tables and read models, those that other methods of the storage are made of. */
type OwnStatements =
  | ('hold' | 'unhold' | 'dismiss' | 'explain' | 'writeCompressed' | 'mirrorRows' | 'pauses' | 'check')
  | ('beginJob' | 'searchIndex' | 'indexHashed' | 'unindexHashed' | 'rewriteRows')
  | keyof typeof changing
type OwnReads = 'matching' | 'selectedIds' | 'selectedRows' | 'eventsHere' | 'storeRows' | 'foundBy' | 'toCompress'

/** Every method is one atomic commit, on disk when it resolves. StorageUnavailableError: the same call may work later. */
export interface Storage
  extends Omit<Tables, OwnStatements>,
    Omit<Reading, OwnReads>,
    Later<ReturnType<typeof createKeyLookup>>,
    ReturnType<typeof createSearch>,
    AsyncDisposable {
  /** Deduplicates in list order (domain/queue/dedupe.ts), stores, and enqueues deliveries, in one commit. */
  accept(arrivals: Arrival[]): Promise<Verdict[]>
  /**
   * Due deliveries of a queue, first open one per entity, none claimed twice; low priority last. `once` ones are in
   * doubt from here until settled. `lease` in ms.
   */
  claim(queueKey: QueueKey, room: ClaimLimits, lease: number): Promise<Claims>
  /**
   * Writes outcome, attempt and links; true also on a repeat. False: fenced off, decided by an operator, or proven
   * meanwhile.
   */
  settle(results: ClaimResult[]): Promise<boolean[]>
  returnClaims(fences: number[]): Promise<void>
  paused(): Promise<(Pause & { queueKey: QueueKey })[]>
  /** The clock shared by all hubs: stored instants are of it. */
  now(): Instant
  onWork(listener: (queueKeys: readonly QueueKey[]) => void): () => void
  /** Adds deliveries to an event but for those it has and `once` keys ever enqueued; returns the count. */
  enqueue(event: number, deliveries: NewDelivery[], act?: number): Promise<number>
  /** Restarts the schedule, in entity order. By filter: low priority; by id: normal. Stays in doubt unless `again`. */
  retry(which: DeliveryFilter, audit: Audit, again: boolean): Promise<Changed>
  skip(which: DeliveryFilter, audit: Audit): Promise<Changed>
  /** Releases `held` deliveries that are not in doubt. */
  releaseHeld(which: DeliveryFilter, audit: Audit): Promise<Changed>
  /** Moves open and dead deliveries to another destination. */
  move(
    from: string,
    to: string,
    audit: Audit,
    among?: Pick<DeliveryFilter, 'flow' | 'flows' | 'kind'>,
  ): Promise<Changed>
  /** Unrouted, quarantined and conflicting events stay but no longer count. */
  dismiss(which: EventFilter, audit: Audit): Promise<Changed<EventRow>>
  holdEvents(ids: readonly number[], audit: Audit): Promise<LegalHoldResult>
  unholdEvents(ids: readonly number[], audit: Audit): Promise<LegalHoldResult>
  /** Next events for the search index, none that could get an earlier one. */
  unindexed(room: { events: number; bytes: number }): Promise<Unindexed[]>
  /** Compresses some old payloads after an event, in one commit. */
  compressPayloads: CompressPayloads
  mirrorRows(set: MirrorSet, keys: readonly string[]): Promise<StoredMirrorRow[]>
  explainGaps(which: GapFilter, audit: Audit): Promise<Changed<StoredGap>>
  /** A run begins, fenced and leased; null: another holds the lease or has begun since `after`. */
  beginJob(name: string, start: JobStart): Promise<JobClaim | null>
  onStores(listener: () => void): void
  /** Erasure: they stay known as duplicates, and no richer copy completes them. */
  forgetEvents(events: readonly number[]): Promise<void>
  /** One commit; returns the count, changed rows excluded. */
  rewritePersonal(changes: readonly PersonalChange[]): Promise<number>
  /** Searches rows and, in SQLite, the bytes of file and WAL. `places`: only these tables, no compressed payloads. */
  searchRest(texts: readonly string[], places?: readonly PersonalTableName[]): Promise<Scrubbed>
  /** Also rewrites the SQLite file (VACUUM) where bytes remain: a large one by the next `purgeDue`. */
  scrub(texts: readonly string[], places?: readonly PersonalTableName[]): Promise<Scrubbed>
  /** Rewrites rows with secrets and scrubs; after a crash `purgeDue` completes it. */
  scrubSecrets(
    changes: readonly PersonalChange[],
    secrets: readonly string[],
    place: PersonalTableName,
  ): Promise<Scrubbed>
  /** Returns free space to the disk; bytes left to return. */
  shrink(bytes: number): Promise<number>
  /**
   * VACUUM after an erasure. False: not now (no space, or a reader holds the WAL); null: not due. `room`: free bytes
   * on disk, null: unknown.
   */
  purgeDue(room: number | null): Promise<boolean | null>
  size(): Promise<StorageSize>
  /** Rejects while the storage cannot write (PostgreSQL: an arrival of `size` bytes). */
  check(size?: number): Promise<void>
}
