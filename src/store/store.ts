import type { ApiKey } from '../domain/access/scope.ts'
import type { FindingChange, FindingFilter, FindingSort, KeptFinding } from '../domain/catalogue/finding.ts'
import type { KeptRow, MirrorChange, MirrorCursor, MirrorFilter, MirrorSet } from '../domain/catalogue/mirror.ts'
import type { EndpointUse, KeptEndpointUse } from '../domain/health/endpoint-use.ts'
import type { JobRow } from '../domain/health/job-status.ts'
import type { Road } from '../domain/ledger/causes.ts'
import type { Range } from '../domain/ledger/covered.ts'
import type { GapCount, GapFilter, KeptGap, OldestGap } from '../domain/ledger/gap.ts'
import type { Watermark } from '../domain/ledger/watermark.ts'
import type { Link } from '../domain/orders/link.ts'
import type { CustomerQuery } from '../domain/people/customer-query.ts'
import type { CustomerRecord } from '../domain/people/customer-record.ts'
import type { FormerPlace } from '../domain/places/former-place.ts'
import type { StoreRecord } from '../domain/places/store-index.ts'
import type { Lane } from '../domain/queue/lane.ts'
import type { SearchKey } from '../domain/queue/search-keys.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Arrival, EventKey, Found, Unindexed, Verdict } from './arrival.ts'
import type { ClaimResult, Claims, Room } from './claim.ts'
import type { LedgerChange } from './json-rows.ts'
import type { JobClaim, JobEnd, JobLease, JobStart, KeptApiKey, KeptCustomer, KeptStore, Pause } from './kept.ts'
import type { KnownEvent, Told } from './key.ts'
import type { Owed } from './owed.ts'
import type { Packed, PayloadChange, PayloadsToDrop } from './payloads/payload.ts'
import type { PersonalChange, PersonalPage, PersonalRows, PlaceName, Scrubbed } from './people/places.ts'
import type { GivenPage, KeptBody } from './reading/given-pages.ts'
import type { Holding } from './retention/holding.ts'
import type { Dropped, Pruning } from './retention/pruning.ts'
import type {
  Act,
  Audit,
  Changed,
  DeliveryFilter,
  EventFilter,
  EventRow,
  LookupRow,
  Screens,
  SubmissionEnd,
} from './screens.ts'

/** Every method is one atomic commit, on disk when it resolves. StoreUnavailableError: the same call may work later. */
export interface Store extends Screens, Pruning, Holding, AsyncDisposable {
  /** Deduplicates in list order (domain/queue/dedupe.ts), stores, and enqueues deliveries, in one commit. */
  accept(arrivals: Arrival[]): Promise<Verdict[]>
  /**
   * Due deliveries of a lane, first open one per entity, none claimed twice; low priority last. `once` ones are in
   * doubt from here until settled. `lease` in ms.
   */
  claim(lane: Lane, room: Room, lease: number): Promise<Claims>
  /**
   * Writes outcome, attempt and links; true also on a repeat. False: fenced off, decided by an operator, or proven
   * meanwhile.
   */
  settle(results: ClaimResult[]): Promise<boolean[]>
  /** Nothing was tried. */
  returnClaims(fences: number[]): Promise<void>
  /**
   * Counts a crash in advance for a delivery run isolated; taken back by its outcome, or by the next mark's
   * `harmlessBefore`.
   */
  markIsolated(delivery: number, harmlessBefore: number | null): Promise<void>
  /** Until an instant, or until resumed (null); survives restarts. */
  pause(lane: Lane, pause: Pause): Promise<void>
  resume(lane: Lane): Promise<void>
  paused(): Promise<(Pause & { lane: Lane })[]>
  /** The clock shared by all hubs: stored instants are of it. */
  now(): Instant
  /** New work in lanes; returns the unsubscribe. */
  onWork(listener: (lanes: Lane[]) => void): () => void
  /** Open deliveries by destination. */
  owed(): Promise<{ destination: string; open: number }[]>
  /** Adds deliveries to an event but for those it has and `once` keys ever owed; returns the count. */
  owe(event: number, deliveries: Owed[], act?: number): Promise<number>
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
  /** Audit entry; the operations above write their own deliveries. Returns its id. */
  noteAct(act: Act, events: readonly number[], deliveries?: readonly number[]): Promise<number>
  /** A long operation changed more. */
  extendAct(act: number, changed: number, events: readonly number[]): Promise<void>
  /** Next events for the search index, none that could get an earlier one. */
  unindexed(room: { events: number; bytes: number }): Promise<Unindexed[]>
  indexKeys(upTo: number, keys: readonly EventKey[]): Promise<void>
  /** Newest first, each with its first matching key. */
  find(keys: readonly SearchKey[], limit: number): Promise<Found[]>
  links(destination: string, kind: string, ids: string[]): Promise<Link[]>
  /** By the ids at destinations. */
  linksTo(destinations: string[], kind: string, theirIds: string[]): Promise<Link[]>
  effectsOf(state: 'skipped' | 'delivered', beginning: string): Promise<string[]>
  areOwed(destination: string, flows: readonly string[]): Promise<boolean>
  /** All deliveries to these destinations of the next `limit` events, in event order. */
  givenPage(destinations: readonly string[], after: number, limit: number): Promise<GivenPage>
  /** Unordered; the caller limits the sizes. */
  bodies(ids: readonly number[]): Promise<KeptBody[]>
  /**
   * Packs old payloads into blocks (payloads/block.ts), each in its own commit; BrokenBlockError after all others were
   * packed. `payloads: 0`: nothing left.
   */
  packPayloads(before: Instant, signal?: AbortSignal): Promise<Packed>
  /** In one commit; sizes and hashes stay, so the same bytes stay duplicates. Returns how many are stored. */
  replacePayloads(changes: readonly PayloadChange[]): Promise<number>
  /** Events stay without body. */
  dropPayloads(which: PayloadsToDrop): Promise<Dropped<number>>
  /** Archives deliveries that succeeded at once (past/past-delivery.ts); `after` null: only young ones are left. */
  movePast(after: number, before: Instant, limit: number): Promise<{ moved: number; after: number | null }>
  /** Upserts by customerId, else extId, else e-mail, else phone. */
  saveCustomers(customers: CustomerRecord[], now: Instant): Promise<void>
  /** From sales: a dropped customer is not saved again. */
  rememberCustomers(customers: CustomerRecord[], now: Instant): Promise<void>
  dropCustomer(customerId: string): Promise<void>
  /** Exact e-mail or phone; newest ten. */
  findCustomers(query: CustomerQuery): Promise<CustomerRecord[]>
  customerCount(): Promise<number>
  /** In order of creation; `after`: last id, else 0. */
  customersPage(after: number, limit: number): Promise<KeptCustomer[]>
  /** In order, one commit. */
  saveMirror(changes: MirrorChange[], now: Instant): Promise<void>
  mirrorRows(set: MirrorSet, keys: readonly string[]): Promise<KeptRow[]>
  /** By day, then creation. */
  mirrorPage(filter: MirrorFilter, after: MirrorCursor | null, limit: number): Promise<KeptRow[]>
  /** In order, one commit. */
  saveFindings(changes: readonly FindingChange[]): Promise<void>
  /** By day, then creation. */
  findings<S extends FindingSort>(
    filter: FindingFilter<S>,
    after: MirrorCursor | null,
    limit: number,
  ): Promise<KeptFinding<S>[]>
  /** Those of the keys that exist. */
  findingKeys(sort: FindingSort, keys: readonly string[]): Promise<Set<string>>
  /** One commit; ranges of a scope are merged. */
  saveLedger(change: LedgerChange, now: Instant): Promise<void>
  /** By id; `after`: last id, else 0. */
  gaps(filter: GapFilter, after: number, limit: number): Promise<KeptGap[]>
  /** The oldest open gap of each kind, store and destination, with counts. */
  oldestGaps(road: Road): Promise<OldestGap[]>
  /** By cause: open ones, and those first seen since. */
  gapCounts(since: Instant): Promise<GapCount[]>
  explainGaps(which: GapFilter, audit: Audit): Promise<Changed<KeptGap>>
  covered(road: Road, scope: string): Promise<Range[]>
  watermarks(): Promise<Watermark[]>
  /** For the order's timeline; never rejects for want of disk. */
  noteLookup(lookup: LookupRow): Promise<void>
  /** A request was read to its end; the last end is stored. */
  endSubmission(id: number, end: SubmissionEnd): Promise<void>
  /** Those of the keys that events of the origin came with. */
  seen(origin: string, transportKeys: readonly string[]): Promise<Set<string>>
  /** The earlier event of each: by transport key, else identity, else bytes. */
  known(those: readonly Told[]): Promise<(KnownEvent | null)[]>
  /** The event that may be the same fact as each step (`said`). */
  owedBefore(steps: readonly Owed[]): Promise<(number | null)[]>
  jobs(): Promise<JobRow[]>
  /** A run begins, fenced and leased; null: another holds the lease or has begun since `after`. */
  beginJob(name: string, start: JobStart): Promise<JobClaim | null>
  /** Extends the lease (0 frees it); false: fenced off or ended. */
  renewJob(name: string, fence: number, lease: JobLease): Promise<boolean>
  /** JobLostError: fenced off. */
  saveJob(name: string, fence: number, state: string): Promise<void>
  /** Also where the same end was written before. JobLostError: fenced off. */
  endJob(name: string, fence: number, end: JobEnd): Promise<JobRow>
  /** Also those that the platform no longer has. */
  stores(): Promise<KeptStore[]>
  /** The complete list: others are marked gone (an empty list marks all). */
  saveStores(records: StoreRecord[], now: Instant): Promise<void>
  /** Former numbers and stocks, oldest first. */
  formerPlaces(): Promise<FormerPlace[]>
  /** Another hub may have saved stores. */
  onStores(listener: () => void): void
  /** Undocumented platform operations. */
  endpointUses(): Promise<KeptEndpointUse[]>
  /** First use at that address, and the last result until it works. */
  noteEndpointUse(use: EndpointUse, now: Instant): Promise<void>
  /** Oldest first, also revoked ones; without hashes. */
  apiKeys(): Promise<ApiKey[]>
  apiKey(id: string): Promise<KeptApiKey | null>
  /** Rejects where the id is taken. */
  createApiKey(key: KeptApiKey): Promise<void>
  /** Written at most once a minute. */
  apiKeyUsed(id: string, at: Instant): Promise<void>
  /** The first revocation stays; null: no such key. */
  revokeApiKey(id: string, by: string, at: Instant): Promise<ApiKey | null>
  /** Rows that may hold personal data (people/places.ts). */
  personalPage(asked: PersonalRows): Promise<PersonalPage>
  /** Erasure: they stay known as duplicates, and no richer copy completes them. */
  forgetEvents(events: readonly number[]): Promise<void>
  unindexEvents(events: readonly number[], keys: readonly SearchKey[]): Promise<void>
  /** One commit, packed payloads in one before it; returns the count, changed rows excluded. */
  rewritePersonal(changes: readonly PersonalChange[]): Promise<number>
  /** Searches rows and, in SQLite, the bytes of file and WAL. `places`: only these tables, no packed payloads. */
  searchRest(texts: readonly string[], places?: readonly PlaceName[]): Promise<Scrubbed>
  /** Also rewrites the SQLite file (VACUUM) where bytes remain: a large one by the next `purgeDue`. */
  scrub(texts: readonly string[], places?: readonly PlaceName[]): Promise<Scrubbed>
  /** Rewrites rows with secrets and scrubs; after a crash `purgeDue` completes it. */
  scrubSecrets(changes: readonly PersonalChange[], secrets: readonly string[], place: PlaceName): Promise<Scrubbed>
  /** Comparable, not reversible. */
  hashedKeys(keys: readonly SearchKey[]): Promise<string[]>
  /** Newest first. */
  findHashed(keys: readonly string[], limit: number): Promise<EventRow[]>
  /** Rejects while the storage cannot write (PostgreSQL: an arrival of `size` bytes). */
  check(size?: number): Promise<void>
}

export type { Act, Audit }
