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
import type { LedgerChange } from './gap-text.ts'
import type { JobClaim, JobEnd, JobLease, JobStart } from './job-lease.ts'
import type { KeptApiKey, KeptCustomer, KeptStore, Pause } from './kept.ts'
import type { KnownEvent, Told } from './key.ts'
import type { Owed } from './owed.ts'
import type { Packed, PayloadChange, PayloadsToDrop } from './payloads/payload.ts'
import type { PersonalChange, PersonalPage, PersonalRows, Scrubbed } from './people/personal-row.ts'
import type { PlaceName } from './people/places.ts'
import type { GivenPage, KeptBody } from './reading/given-row.ts'
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

/**
 * The store is where steps meet. Every method is one atomic intent: when its promise resolves, all of it is on disk; when it
 * rejects, nothing of it is. A `StoreUnavailableError` says that the store cannot write now; the same call may work later.
 */
export interface Store extends Screens, Pruning, Holding, AsyncDisposable {
  /**
   * Takes arrivals in one commit: decides which are news (domain/queue/dedupe.ts), keeps them, and owes their deliveries.
   * Arrivals of one list are decided in order, so a copy of an earlier one is a duplicate of it.
   */
  accept(arrivals: Arrival[]): Promise<Verdict[]>

  /**
   * Hands out deliveries of a lane that are due, each the first open one of its entity in the order of events, oldest first,
   * and none twice at a time. What yields goes last, unless one of its entity that does not waits for it. A `once` delivery is marked as on the wire before the promise resolves, and counts as uncertain from then
   * until it is settled. `lease` is how long the caller may take at most (milliseconds).
   */
  claim(lane: Lane, room: Room, lease: number): Promise<Claims>

  /**
   * Writes what became of claims: outcome, attempt and links together; true also where that was written before, and the answer lost.
   * False where it was refused: the claim was not
   * this caller's any more (fence), a person decided about the delivery meanwhile, or it became uncertain after an event
   * had proven its effect (then it is delivered).
   */
  settle(results: ClaimResult[]): Promise<boolean[]>

  /** Gives claims back untouched: nothing was tried. */
  returnClaims(fences: number[]): Promise<void>

  /**
   * Counts a crash for a delivery that runs isolated from now on, before it happens; its outcome takes it back, or the mark of the next one,
   * whose `harmlessBefore` it is. Resolves when it is on the disk.
   */
  markIsolated(delivery: number, harmlessBefore: number | null): Promise<void>

  /** Stops a lane's claims until an instant, or until resumed (null), through restarts. */
  pause(lane: Lane, pause: Pause): Promise<void>
  resume(lane: Lane): Promise<void>
  paused(): Promise<(Pause & { lane: Lane })[]>

  /**
   * The time that all hubs of this store agree on, whatever their machines' clocks say: instants that the store keeps are
   * of this clock.
   */
  now(): Instant

  /** Calls back when lanes may have new work, until what it returns is called. */
  onWork(listener: (lanes: Lane[]) => void): () => void

  /** How much is open, by destination. */
  owed(): Promise<{ destination: string; open: number }[]>

  /**
   * Adds deliveries to an event that today's config wants. Those it has already, and `once` keys ever owed, are left alone.
   * How many were added. `act`: which act of a person made them, if one did.
   */
  owe(event: number, deliveries: Owed[], act?: number): Promise<number>

  /**
   * Tries deliveries again from the start of their schedule, each in its lane and in its place in the line of its entity; a
   * selection by filter yields to the others of the lane, one by its id does not (any more). An uncertain one stays uncertain (it is looked for, or held again) unless `again` says that a second effect is acceptable.
   */
  retry(which: DeliveryFilter, audit: Audit, again: boolean): Promise<Changed>
  /** A person decides that deliveries are not to be made. */
  skip(which: DeliveryFilter, audit: Audit): Promise<Changed>
  /**
   * A person lets deliveries go that are held for what they say (`held`, and not uncertain): they are tried again from the
   * start of their schedule, and their claims name who let them go, and why.
   */
  releaseHeld(which: DeliveryFilter, audit: Audit): Promise<Changed>
  /** Owes open and dead deliveries to another destination. */
  move(
    from: string,
    to: string,
    audit: Audit,
    among?: Pick<DeliveryFilter, 'flow' | 'flows' | 'kind'>,
  ): Promise<Changed>
  /**
   * A person says that nothing is to be done about events that are unrouted, quarantined or in conflict: they stay, and do not
   * count any more. Those that were dismissed before are left as they are.
   */
  dismiss(which: EventFilter, audit: Audit): Promise<Changed<EventRow>>

  /**
   * Writes down what a person did, with the events and deliveries that it touched or made; which deliveries the verbs above
   * touch, they write down themselves. The act's id.
   */
  noteAct(act: Act, events: readonly number[], deliveries?: readonly number[]): Promise<number>
  /** The act has gone on: changed so many more, and touched these events. */
  extendAct(act: number, changed: number, events: readonly number[]): Promise<void>

  /** The next events whose keys are not in the index, in their order; none that could still get others before it. */
  unindexed(room: { events: number; bytes: number }): Promise<Unindexed[]>
  /** The keys of events up to that one are these: they can be found from now on. */
  indexKeys(upTo: number, keys: readonly EventKey[]): Promise<void>
  /**
   * Packs some keys of a volume of events that is indexed whole (searching/search-block.ts), in one commit; they are found as before.
   * How many; 0: there are none to pack.
   */
  packSearchKeys(): Promise<number>
  /** Events that one of these keys is of, newest first, each with the first such key. */
  find(keys: readonly SearchKey[], limit: number): Promise<Found[]>

  links(destination: string, kind: string, ids: string[]): Promise<Link[]>
  /** The links the other way round: what these ids of destinations stand for. */
  linksTo(destinations: string[], kind: string, theirIds: string[]): Promise<Link[]>
  /** Effects that begin so, of deliveries that a person skipped, or of those that are done. */
  effectsOf(state: 'skipped' | 'delivered', beginning: string): Promise<string[]>
  /** Whether steps of these flows are owed to a destination: waiting, out or held. */
  areOwed(destination: string, flows: readonly string[]): Promise<boolean>

  /**
   * The deliveries to these destinations, whatever became of them, of the next events behind one (`after`, else 0), in the order of
   * events; at most so many events are looked at.
   */
  givenPage(destinations: readonly string[], after: number, limit: number): Promise<GivenPage>

  /** The bodies of these events, in no order, as far as they are kept. Whoever asks knows their sizes, and asks for no more than fits. */
  bodies(ids: readonly number[]): Promise<KeptBody[]>

  /**
   * Packs payloads of events that were received before an instant into blocks (payloads/block.ts), some of each kind, each block in
   * a commit of its own. They are read as before. Rejects with a BrokenBlockError where some could not be packed for it, after the
   * others were. `bytes`: of the blocks; none are `payloads` where there is nothing left to do now.
   */
  packPayloads(before: Instant, signal?: AbortSignal): Promise<Packed>
  /**
   * Changes the payloads of events, wherever they lie, in one commit; whoever asks sees to it that few blocks' worth comes at once.
   * Sizes and hashes of events stay: the same bytes sent again are known. How many of them are kept; the others are left out.
   */
  replacePayloads(changes: readonly PayloadChange[]): Promise<number>
  /**
   * Drops some of the payloads of a kind up to an event, but for those of some events: plain ones and packed ones. Events stay, and
   * have no body any more.
   */
  dropPayloads(which: PayloadsToDrop): Promise<Dropped<number>>

  /**
   * Moves deliveries that went well at once, and were settled before an instant, to the past (past/past-delivery.ts), in one commit: of so
   * many behind an id. They are read as before. `after`: where the next ones are looked for; null: the others are young.
   */
  movePast(after: number, before: Instant, limit: number): Promise<{ moved: number; after: number | null }>

  /** Customers to look up: creates or updates them, by customerId, else extId, else e-mail, else phone. */
  saveCustomers(customers: CustomerRecord[], now: Instant): Promise<void>
  /** The same of whom sales name; but whoever was dropped, and was not saved since, stays away. */
  rememberCustomers(customers: CustomerRecord[], now: Instant): Promise<void>
  /** Drops whoever has this customerId. */
  dropCustomer(customerId: string): Promise<void>
  /** The customers with exactly this e-mail address, or one of these phone numbers; newest first, ten at most. */
  findCustomers(query: CustomerQuery): Promise<CustomerRecord[]>
  /** How many there are. */
  customerCount(): Promise<number>
  /** A page of them in the order in which they first came; `after`: the id of the last one of the page before, else 0. */
  customersPage(after: number, limit: number): Promise<KeptCustomer[]>

  /** Changes the mirror, in one commit, in order. */
  saveMirror(changes: MirrorChange[], now: Instant): Promise<void>
  /** The rows of these keys, as far as they are there. */
  mirrorRows(set: MirrorSet, keys: readonly string[]): Promise<KeptRow[]>
  /** A page of rows by day, and within a day in the order in which they first came; `after`: where the last page ended. */
  mirrorPage(filter: MirrorFilter, after: MirrorCursor | null, limit: number): Promise<KeptRow[]>

  /** Changes what jobs have found, in one commit, in order. */
  saveFindings(changes: readonly FindingChange[]): Promise<void>
  /** A page of findings by day, and within a day in the order in which they first came; `after`: where the last page ended. */
  findings<S extends FindingSort>(
    filter: FindingFilter<S>,
    after: MirrorCursor | null,
    limit: number,
  ): Promise<KeptFinding<S>[]>
  /** The keys, of these, that there are findings of. */
  findingKeys(sort: FindingSort, keys: readonly string[]): Promise<Set<string>>

  /**
   * Keeps what was looked through, what is not proven to be here, and up to where all is, in one commit: gaps in their order
   * (domain/ledger/gap.ts), ranges merged with those of their scope that they touch.
   */
  saveLedger(change: LedgerChange, now: Instant): Promise<void>
  /** A page of gaps in the order in which they were first seen; `after`: the id of the last one of the page before, else 0. */
  gaps(filter: GapFilter, after: number, limit: number): Promise<KeptGap[]>
  /** The oldest open gap of each kind, store and destination that has any of a road, and how many there are. */
  oldestGaps(road: Road): Promise<OldestGap[]>
  /** How many gaps of each cause are open, and how many were first seen since then; causes of which there are none are left out. */
  gapCounts(since: Instant): Promise<GapCount[]>
  /** A person says why nothing has to be done about open gaps. */
  explainGaps(which: GapFilter, audit: Audit): Promise<Changed<KeptGap>>
  /** The ranges of a scope, in order; none touches another. */
  covered(road: Road, scope: string): Promise<Range[]>
  /** All there are, by level, kind and store. */
  watermarks(): Promise<Watermark[]>

  /** A till looked for an order: kept for its timeline. Never rejects for want of a disk: a lookup goes before its record. */
  noteLookup(lookup: LookupRow): Promise<void>

  /**
   * A submission was read to its end: how many lines it had, and those that were refused. Sent again, it ends again: the
   * last end is kept.
   */
  endSubmission(id: number, end: SubmissionEnd): Promise<void>

  /** The transport keys, of these, that events of that origin have come with. */
  seen(origin: string, transportKeys: readonly string[]): Promise<Set<string>>
  /** The events that these are known again by, one for each: by its transport key, else its identity, else its bytes; null: none. */
  known(those: readonly Told[]): Promise<(KnownEvent | null)[]>
  /**
   * The event that each step may be the same fact as: that which has its name, where another may have it, too (`said`). Null: none.
   */
  owedBefore(steps: readonly Owed[]): Promise<(number | null)[]>

  /** The memory of jobs, by name. */
  jobs(): Promise<JobRow[]>
  /**
   * A run begins; kept before it does anything, so that one that never ends is seen. It is the caller's alone until its
   * lease is over; then whoever begins the next one takes over, and the run that was cut off stays without an end.
   * Null, and nothing changes: another's lease lasts, or another has begun a run since the caller looked (`after`).
   */
  beginJob(name: string, start: JobStart): Promise<JobClaim | null>
  /**
   * The run is the caller's for that much longer from now on, also where its lease was over and nobody came; a lease of 0
   * gives it back. False, and nothing changes: it is not the caller's any more (fence), or has ended.
   */
  renewJob(name: string, fence: number, lease: JobLease): Promise<boolean>
  /** The run leaves state (JSON text), however it ends. Rejects with a JobLostError where it is not the caller's any more. */
  saveJob(name: string, fence: number, state: string): Promise<void>
  /**
   * The run ends, and the job is free at once. What is remembered then, also where the same end was written before and its answer
   * lost. Rejects with a JobLostError where the run is not the caller's any more.
   */
  endJob(name: string, fence: number, end: JobEnd): Promise<JobRow>

  /** The platform's stores, by id; also those that it does not have any more. */
  stores(): Promise<KeptStore[]>
  /**
   * The platform's stores are these now: all of them. Those of before that are not among them are kept, and marked as gone since
   * `now`; one that comes back is marked no longer. (So an empty list says that all are gone.) One that is named twice is as it is named last.
   */
  saveStores(records: StoreRecord[], now: Instant): Promise<void>
  /** What stores were called before they got another number, or another stock: by their ids, and of each the oldest first. */
  formerPlaces(): Promise<FormerPlace[]>
  /** Calls back when another hub may have saved the stores. */
  onStores(listener: () => void): void

  /** The operations of the platform that no document shows, with what is remembered of each, by name. */
  endpointUses(): Promise<KeptEndpointUse[]>
  /**
   * An operation was used: its first use at that address is kept, and what came of it last, until it has worked. Of another
   * address than before, it is the first one.
   */
  noteEndpointUse(use: EndpointUse, now: Instant): Promise<void>

  /** The keys of own systems, oldest first, also revoked ones; without their hashes. */
  apiKeys(): Promise<ApiKey[]>
  /** The key of this id with its hash, also a revoked one. */
  apiKey(id: string): Promise<KeptApiKey | null>
  /** Keeps a new one, and who made it for the audit. Rejects where the id is taken. */
  createApiKey(key: KeptApiKey): Promise<void>
  /** The key was used. Written at most once a minute, so that a submission does not cost a write each. */
  apiKeyUsed(id: string, at: Instant): Promise<void>
  /** The key is good for nothing from now on; an earlier revocation stays as it was. The key then; null: there is none. */
  revokeApiKey(id: string, by: string, at: Instant): Promise<ApiKey | null>

  /** Rows that may speak of a person: those of events, or a stretch of a table (store/people/places.ts). */
  personalPage(asked: PersonalRows): Promise<PersonalPage>
  /**
   * Events that speak of a person who is to be forgotten: they are known again by what they came with, whatever becomes of their
   * rows, and no fuller copy completes them any more.
   */
  forgetEvents(events: readonly number[]): Promise<void>
  /** Events are found by these keys no longer. */
  unindexEvents(events: readonly number[], keys: readonly SearchKey[]): Promise<void>
  /**
   * Writes rows of places anew, or takes them away, in one commit; payloads, which may be packed, in another one before it. How
   * many; one that has changed meanwhile stays.
   */
  rewritePersonal(changes: readonly PersonalChange[]): Promise<number>
  /**
   * Searches rows and, of SQLite, the bytes of the file and its WAL for texts. `places`: the only tables that may have them; packed
   * payloads are not searched then. PostgreSQL vacuums the tables before.
   */
  searchRest(texts: readonly string[], places?: readonly PlaceName[]): Promise<Scrubbed>
  /**
   * As `searchRest`; where bytes of a SQLite file have one, which may be of no row any more, the file is rewritten (VACUUM): a small one at
   * once, a large one by the next `purgeDue`, also after a restart.
   */
  scrub(texts: readonly string[], places?: readonly PlaceName[]): Promise<Scrubbed>
  /**
   * Writes rows anew, or takes them away, that have secrets, and scrubs these. Where the process ends meanwhile, `purgeDue` scrubs them:
   * no row says any more which they were.
   */
  scrubSecrets(changes: readonly PersonalChange[], secrets: readonly string[], place: PlaceName): Promise<Scrubbed>
  /** The key of a search as the store keeps it, in hex: for whoever may know that it was the same, and not which. */
  hashedKeys(keys: readonly SearchKey[]): Promise<string[]>
  /** Events that one of these is a key of, newest first. */
  findHashed(keys: readonly string[], limit: number): Promise<EventRow[]>

  /**
   * Rejects with a StoreUnavailableError while the store cannot write. `size`: where the room is not known (PostgreSQL), also while it
   * could not take an arrival of so many bytes.
   */
  check(size?: number): Promise<void>
}

export type { Act, Audit }
