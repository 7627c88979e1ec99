import type { BookingName } from '../domain/books/bookings.ts'
import type { Tallied } from '../domain/ledger/destination/tallied.ts'
import type { Link } from '../domain/orders/link.ts'
import type { TillOrder } from '../domain/orders/order.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Question } from './attempt.ts'

/*
 * The ability to be asked afterwards what a system has of what it has acknowledged. An answer is given for each that was asked for,
 * in their order. Nothing is changed there, nothing is mended, and what cannot be told is said to be unknown. A system that cannot be
 * reached is no answer: it throws, as a call does.
 */

/** A record that a back office has acknowledged. */
export interface GivenRecord {
  /** The keys of its attempts (Attempt.key): the first, and those by which it was given once more. */
  keys: readonly [string, ...string[]]
  method: BookingName
  /** When it was acknowledged. */
  givenAt: Instant
}

/** An order that a shop or OMS has acknowledged: it was created there. */
export interface GivenOrder {
  /** The keys of its attempts: the first, and those by which it was given once more. */
  keys: readonly [string, ...string[]]
  order: TillOrder
  /** When it was acknowledged. */
  givenAt: Instant
  /** The names that the system is known to have for it; none: it gave none. */
  links: readonly Link[]
}

/** A back office that can be asked. */
export interface TallyRecords {
  tally(given: readonly GivenRecord[], question: Question): Promise<Tallied[]>
}

/** A shop or OMS that can be asked. */
export interface TallyOrders {
  tally(given: readonly GivenOrder[], question: Question): Promise<Tallied[]>
}
