import type { ApiKey } from '../domain/access/api-key.ts'
import type { KeptRow, MirrorChange, MirrorCursor, MirrorFilter, MirrorSet } from '../domain/catalogue/mirror.ts'
import type { EndpointUse, KeptEndpointUse } from '../domain/health/endpoint-use.ts'
import type { JobRow } from '../domain/health/job-status.ts'
import type { Link } from '../domain/orders/link.ts'
import type { CustomerQuery } from '../domain/people/customer-query.ts'
import type { CustomerRecord } from '../domain/people/customer-record.ts'
import type { StoreRecord } from '../domain/places/store-record.ts'
import type { Next } from '../domain/queue/delivery.ts'
import type { Event } from '../domain/queue/event.ts'
import type { Facts } from '../domain/queue/identity.ts'
import type { Lane, Urgency } from '../domain/queue/lane.ts'
import type { SearchKey } from '../domain/queue/search-keys.ts'
import type { Instant } from '../domain/values/instant.ts'
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
 * Where steps meet. Every method is one atomic intent: when its promise resolves, all of it is on disk; when it rejects,
 * nothing of it is. A `StoreUnavailableError` says that the store cannot write now; the same call may work later.
 */
export interface Store extends Screens, AsyncDisposable {
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
   * Writes what became of claims: outcome, attempt and links together. False where it was refused: the claim was not
   * this caller's any more (fence), a person decided about the delivery meanwhile, or it became uncertain after an event
   * had proven its effect (then it is delivered).
   */
  settle(results: Settlement[]): Promise<boolean[]>

  /** Gives claims back untouched: nothing was tried. */
  release(fences: number[]): Promise<void>

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
  letGo(which: DeliveryFilter, audit: Audit): Promise<Changed>
  /** Owes open and dead deliveries to another destination. */
  move(from: string, to: string, audit: Audit): Promise<Changed>
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
  /** It has gone on: changed so many more, and touched these events. */
  extendAct(act: number, changed: number, events: readonly number[]): Promise<void>

  /** The next events whose keys are not in the index, in their order; none that could still get others before it. */
  unindexed(room: { events: number; bytes: number }): Promise<Unindexed[]>
  /** These are the keys of events up to that one: they can be found from now on. */
  indexKeys(upTo: number, keys: readonly EventKey[]): Promise<void>
  /** Events that one of these keys is of, newest first, each with the first such key. */
  find(keys: readonly SearchKey[], limit: number): Promise<Found[]>

  links(destination: string, kind: string, ids: string[]): Promise<Link[]>
  /** The other way round: what these ids of destinations stand for. */
  linksTo(destinations: string[], kind: string, theirIds: string[]): Promise<Link[]>
  /** Effects that begin so, of deliveries that a person skipped, or of those that are done. */
  effectsOf(state: 'skipped' | 'delivered', beginning: string): Promise<string[]>
  /** Whether steps of these flows are owed to a destination: waiting, out or held. */
  areOwed(destination: string, flows: readonly string[]): Promise<boolean>

  /** Customers to look up: creates or updates them, by customerId, else extId, else e-mail, else phone. */
  saveCustomers(customers: CustomerRecord[], now: Instant): Promise<void>
  /** Those with exactly this e-mail address, or one of these phone numbers; newest first, ten at most. */
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

  /** A till looked for an order: kept for its timeline. Never rejects for want of a disk: a lookup goes before its record. */
  noteLookup(lookup: LookupRow): Promise<void>

  /**
   * A submission was read to its end: how many lines it had, and those that were refused. Sent again, it ends again: the
   * last end is kept.
   */
  endSubmission(id: number, end: SubmissionEnd): Promise<void>

  /** Which of these transport keys events of that origin have come with. */
  seen(origin: string, transportKeys: readonly string[]): Promise<Set<string>>

  /** What is remembered of jobs, by name. */
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
   * The run ends, and the job is free at once. What is remembered then. Rejects with a JobLostError where the run is not
   * the caller's any more.
   */
  endJob(name: string, fence: number, end: JobEnd): Promise<JobRow>

  /** The platform's stores, by id; also those that it does not have any more. */
  stores(): Promise<KeptStore[]>
  /**
   * These are the platform's stores now: all of them. Those of before that are not among them are kept, and marked as
   * gone since `now`; one that comes back is marked no longer. (So an empty list says that all are gone.)
   */
  saveStores(records: StoreRecord[], now: Instant): Promise<void>
  /** Calls back when another hub may have saved the stores. */
  onStores(listener: () => void): void

  /** What is remembered of operations of the platform that no document shows, by name. */
  endpointUses(): Promise<KeptEndpointUse[]>
  /**
   * One was used: its first use at that address is kept, and what came of it last, until it has worked. Of another address than
   * before, it is the first one.
   */
  noteEndpointUse(use: EndpointUse, now: Instant): Promise<void>

  /** The keys of own systems, oldest first, also revoked ones; without their hashes. */
  apiKeys(): Promise<ApiKey[]>
  /** One of them with its hash, also a revoked one, from memory: every submission asks for it. */
  apiKey(id: string): Promise<KeptApiKey | null>
  /** Keeps a new one, and who made it for the audit. Rejects where the id is taken. */
  createApiKey(key: KeptApiKey): Promise<void>
  /** It was used. Written at most once a minute, so that a submission does not cost a write each. */
  apiKeyUsed(id: string, at: Instant): Promise<void>
  /** It is good for nothing from now on; an earlier revocation stays as it was. The key then; null: there is none. */
  revokeApiKey(id: string, by: string, at: Instant): Promise<ApiKey | null>

  /** Rejects with a StoreUnavailableError while the store cannot write. */
  check(): Promise<void>
}

/** An event that cannot be found yet. Its body is null where it is not kept, or too large to look through. */
export interface Unindexed {
  id: number
  kind: string
  transportKey: string | null
  body: Uint8Array | null
}

export interface EventKey extends SearchKey {
  event: number
}

export interface Found {
  key: SearchKey
  event: EventRow
}

/** Something that arrived, read as far as the hub needs to take it. */
export interface Arrival {
  kind: string
  origin: string
  subscription: string | null
  receivedAt: Instant
  /** Request headers worth keeping; secrets dropped. */
  headers: Record<string, string>
  body: Uint8Array
  /** First 16 bytes of the body's SHA-256, in hex. */
  bodyHash: string
  transportKey: string | null
  identity: string | null
  versioned: boolean
  /** Of a versioned kind: each time that it comes about is to have its effect (domain/queue/dedupe.ts). */
  repeatable?: true
  /** Other bytes under the same immutable identity are a conflict (domain/queue/dedupe.ts). */
  exact: boolean
  entity: string | null
  facts: Facts | null
  /** Why it cannot be read; it is kept in quarantine. */
  problem: string | null
  /**
   * It says all that this event says, and more: it was compared with that one's bytes, which have this hash. So it completes
   * it, as long as nobody has acted on it and it is still the same.
   */
  completes?: { event: number; bodyHash: string }
  /** It was refused and its body is not here (too large): kept as a trace, dedupes nothing. */
  refused?: true
  deliveries: Owed[]
  /** Nobody owes anything because of it, and that is right (an order that nobody has begun with): it is not `unrouted`. */
  quiet?: boolean
  /**
   * Facts that it proves, remembered as long as keys are. An open (uncertain) delivery whose effect is proven is delivered:
   * code `proven`, with an attempt that names the event. A duplicate, a conflict and a quarantined arrival prove nothing.
   */
  proves?: string[]
  /** Links that the arrival itself proves. */
  links?: Link[]
  /** What destinations have acknowledged by it: who submits a customer knows it. */
  acknowledges?: { destination: string; flow: string; subject: string; digest: string }[]
  /** The request of an own system (`origin`) that it is a line of. The request's row is made with its first line that is kept. */
  submission?: SubmissionLine
}

/** A line of a submission: `resource` and `key` (its Idempotency-Key) name the submission among those of its system. */
export interface SubmissionLine {
  resource: string
  key: string
  /** From 1. */
  line: number
}

/** A delivery to be: one step, one destination. */
export interface Owed {
  flow: string
  part: string
  destination: string
  urgency: Urgency
  entity: string | null
  /** Null: at once. */
  notBefore: Instant | null
  /** Its delivery key is owed at most once, to whomever, for ever. */
  once: boolean
  /** With `once`: once to each destination (several may each keep books). */
  each?: boolean
  batch: string | null
  /**
   * Those of its flow, part, entity and destination that still wait, and are not claimed, become `superseded` by it. So do
   * dead and skipped ones: to try them again would bring the old back. Where one of them has a higher `version`, it is the
   * other way round.
   */
  latestWins: boolean
  /** See Claim: `unchanged`. Null: it is always sent, and leaves nothing to compare with. It needs a subject. */
  digest: string | null
  /** What the digest and the version are of; null: the entity. */
  subject?: string | null
  /** See Claim: `outdated`. */
  version?: number | null
  /** The fact that it brings about. With `once` it is owed at most once under that name and its flow, whatever event owes it. */
  effect?: string | null
  /**
   * The name that the effect shares with those of other events that do not tell so exactly what they bring about. One that is
   * owed by the shared name alone is owed; by whom it is owed under a name of its own, it is for that name only.
   */
  effectOfNumber?: string | null
  /** See Claim: `overtaken`. */
  unless?: readonly string[]
  /** It is sent even if unchanged. */
  force: boolean
  /** The others of its lane go first: it is one of many that a person has planned again. */
  yields?: boolean
  /** A person has it sent once more, to somebody else perhaps. */
  released?: Released
}

/** `submission`: the one that the (first) event came in, if any. */
export type Verdict =
  | {
      status: 'accepted'
      id: number
      unrouted: boolean
      submission: number | null
      /** Another event that came with the same transport key: the header names no event of its own. Null: none. */
      sameKeyAs: number | null
    }
  | {
      status: 'duplicate'
      id: number
      /** It held more than the first, which it completed. */
      completed: boolean
      /** It said something else than the first, under the same key. */
      otherBytes: boolean
      /** And nobody has acted on the first: if this one is fuller, it may complete it (Arrival.completes). */
      comparable?: true
      submission: number | null
    }
  | { status: 'conflict'; id: number; with: number; submission: number | null }
  | { status: 'quarantined'; id: number }

/** How much a lane can begin now. */
export interface Room {
  calls: number
  /** Nothing that yields begins where so many calls of this claim have begun: as bulk, it leaves a call free. */
  yielding: number
  /** What yields takes its turn with the others all the same, for this claim. */
  inTurn?: boolean
  /** Bodies of all calls together; one call goes out whatever its size. */
  bytes: number
  /**
   * The most of one call. A batch that is not full waits for more until nothing was added for `linger` milliseconds, but
   * for ten times that at most.
   */
  batch: { items: number; bytes: number; linger: number }
}

export interface Claims {
  /** What goes out together: one delivery alone, or several of one flow with equal `batch`, one of an entity at most. */
  calls: Claim[][]
  /** When the lane's next delivery is due (or its next batch, full or not), if none is now; null: nothing waits for a time. */
  wakeAt: Instant | null
  /** What yields is due, and had to leave a call free (Room): a call that ends makes room for it. */
  yieldingLeft?: true
}

/** A right to carry out one delivery, once. */
export interface Claim {
  /** Fences off whoever comes back too late. */
  fence: number
  delivery: ClaimedDelivery
  event: Event
  /** The destination's last delivered one of this flow and subject had the same digest: nothing need be sent. */
  unchanged: boolean
  /** That one had a higher version: this one is older, and must not be sent. */
  outdated: boolean
  /** An event has proven one of the facts of `unless`: which event; null: none. */
  overtaken: number | null
}

export interface ClaimedDelivery {
  id: number
  flow: string
  part: string
  destination: string
  urgency: Urgency
  entity: string | null
  batch: string | null
  once: boolean
  effect: string | null
  tries: number
  finds: number
  failingSince: Instant | null
  firstTriedAt: Instant | null
  /** A call may have had its effect (design §6: previous `open`). */
  open: boolean
  /** Who let it go when it was held for what it says, and why; null: nobody. */
  released: Released | null
}

/** A person's decision that a delivery is to go out as it is. */
export interface Released {
  by: string
  reason: string
  /** Of a message: to this address, not to that of its event. */
  to?: string
}

export interface Settlement {
  fence: number
  delivery: number
  next: Next
  attempt: { at: Instant; ms: number; outcome: string; code: string; note: string | null }
  links: Link[]
  /** It counts as delivered, but nothing was sent: no later one is `unchanged` because of it. */
  dryRun?: true
}

/** How long a run of a job is to be its hub's alone. */
export interface JobLease {
  now: Instant
  /** From then on (milliseconds). A store of several hubs counts from its own clock, which is the same for all of them. */
  lease: number
}

/** A run of a job is to begin; `now` is when it starts. */
export interface JobStart extends JobLease {
  /** Only if this is still when the job was last started (null: never). Not given: whatever has run before. */
  after?: Instant | null
}

/** A right to carry out one run of a job, as long as its lease lasts. */
export interface JobClaim {
  row: JobRow
  /** Fences off whoever comes back too late. */
  fence: number
}

/** How a run of a job ended: well, or with a problem. */
export type JobEnd =
  | {
      at: Instant
      /** What the next run begins with (JSON text); not given: what was left before. */
      state?: string
      note: string
    }
  | { at: Instant; problem: string }

/** A customer as it is kept. */
export interface KeptCustomer extends CustomerRecord {
  id: number
  updatedAt: Instant
}

/** A store as it was last seen on the platform. */
export interface KeptStore extends StoreRecord {
  /** Since when the platform does not have it any more. */
  goneAt: Instant | null
}

/** A key with what proves it; for the check alone, never for an answer or a log. */
export interface KeptApiKey extends ApiKey {
  /** SHA-256 of the secret, in hex. The secret is 256 random bits, which nobody can guess: a slow hash adds nothing. */
  secretHash: string
}

export interface Pause {
  until: Instant | null
  why: string
}

export type { Act, Audit, Changed }
