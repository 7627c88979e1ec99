import type { MirrorSet } from '../../domain/catalogue/mirror.ts'
import type { StandingEvent } from '../../domain/retention/ages.ts'
import type { Instant } from '../../domain/values/instant.ts'

/** An event, as far as it tells what of it may go. */
export interface AgeingEvent {
  id: number
  kind: string
  receivedAt: Instant
  /** Which thing of the flow's it is about. */
  entity: string | null
  /** Bytes of its body as it came. */
  size: number
  deliveries: number
}

/** Events that stay, of all up to an id. */
export interface Standings {
  upTo: number
  events: StandingEvent[]
}

/** The rows that went. `seen`: how many of the ids it came to, from the first on; where none, something is written first: call again. */
export interface DroppedEvents {
  events: number
  deliveries: number
  attempts: number
  seen: number
}

/** A part of a walk: how many rows went, and where the next part begins; null: it is over. */
export interface Dropped<Place> {
  dropped: number
  after: Place | null
}

/** What a destination acknowledged of a subject. */
export interface Acknowledged {
  destination: string
  flow: string
  subject: string
}

/** A page of them; `next`: the row behind which the next page begins, null where it was the last. */
export interface AcknowledgedPage {
  rows: Acknowledged[]
  next: Acknowledged | null
}

/**
 * What goes is of before an instant. `now`: what is said to be of later than this was noted by a clock that was ahead; a walk passes
 * it by, and does not end at it.
 */
interface Aged {
  before: Instant
  now: Instant
}

/** Tries that go: those of before an instant, or of the instant that a kind has of its own. */
export interface OldAttempts extends Aged {
  after: number
  limit: number
  kinds: Readonly<Record<string, Instant>>
}

/** Submissions that go. */
export interface OldSubmissions extends Aged {
  after: number
  limit: number
}

/** Records that go by their age alone. */
export type OldRecords =
  | ({ type: 'lookups' } & Aged)
  | { type: 'audit'; before: Instant }
  /** Rows of a set of before a day (`yyyy-mm-dd`); rows of no day stay. */
  | { type: 'mirror'; set: MirrorSet; before: string }

/** The size of the store (bytes). */
export interface StoreSize {
  bytes: number
  /** How many of those are free for what comes. */
  reusable: number
}

/**
 * What has had its time goes, in slices: each is one commit of a few milliseconds, and whatever has gone is gone wholly. A store may do less
 * than it was asked for, where that would take longer: the next call goes on.
 */
export interface Pruning {
  /**
   * Events that stay however old they are, in their order; those that gaps name are for the caller to find. Where they are more than
   * `limit`, those up to a lower id than was asked for.
   */
  standing(upTo: number, limit: number): Promise<Standings>
  /** The keys of gaps that are open, so many at most (domain/ledger/gap.ts). */
  openGapKeys(limit: number): Promise<string[]>
  /** The next events behind an id, oldest first. */
  ageing(after: number, limit: number): Promise<AgeingEvent[]>
  /**
   * Drops events with all that is of them alone: payloads, deliveries, attempts. Those that stay however old they are stay: it is
   * looked at again in the same commit. What they are known again by is kept as long as their keys.
   */
  dropEvents(ids: readonly number[]): Promise<DroppedEvents>
  /** Drops tries, but for those of deliveries that are not settled well or whose event is under a legal hold. */
  dropAttempts(which: OldAttempts): Promise<Dropped<number>>
  /** Drops keys of events up to an id that are not here any more; `after`: the key (hex) behind which it looks, '' at first. */
  dropKeys(after: string, upTo: number, limit: number): Promise<Dropped<string>>
  /** The next event behind an id, here or dropped, and when it was taken; null: there is none. */
  nextReceived(after: number): Promise<{ id: number; receivedAt: Instant } | null>
  /** Drops what dropped events up to an id are known again by; when none of their keys is left. How many. */
  dropKnown(upTo: number, limit: number): Promise<number>
  /** Drops what events that are not here any more could be found by, of one segment; `after`: the segment to begin with. */
  dropSearchKeys(after: number, upTo: number, limit: number): Promise<Dropped<number>>
  /** Drops submissions, all lines of which are gone. */
  dropSubmissions(which: OldSubmissions): Promise<Dropped<number>>
  dropRecords(which: OldRecords, limit: number): Promise<number>
  /**
   * Looks through what destinations acknowledged, behind a row (null: from the first), so many rows at most, for that of which an event up
   * to that says alone how new it is (a price).
   */
  acknowledgedUpTo(upTo: number, after: Acknowledged | null, limit: number): Promise<AcknowledgedPage>
  /** Drops those of them, unless something newer was acknowledged meanwhile. `seen`: how many of them it came to, from the first on. */
  dropAcknowledged(rows: readonly Acknowledged[], upTo: number): Promise<{ dropped: number; seen: number }>
  /** Gives free room back to the disk, so many bytes at most. How many are left to give back. */
  shrink(bytes: number): Promise<number>
  /**
   * Rewrites the file (VACUUM) where an erasure left that to be done (`Store.scrub`); writes wait meanwhile. False: not now, since there is
   * no room for it (`room`: free bytes of its disk; null: unknown), or somebody reads from the WAL. Null: nothing is to be done.
   */
  purgeDue(room: number | null): Promise<boolean | null>
  size(): Promise<StoreSize>
}
