import type { BookingName } from '../domain/books/bookings.ts'
import type { Tallied } from '../domain/ledger/destination/tallied.ts'
import type { Link } from '../domain/orders/link.ts'
import type { TillOrder } from '../domain/orders/order.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Question } from './attempt.ts'

/** The ability to be asked afterwards what a system has of what it has acknowledged. */

export interface GivenRecord {
  /** The keys of its attempts (Attempt.key): the first, and those by which it was given once more. */
  keys: readonly [string, ...string[]]
  method: BookingName
  givenAt: Instant
}

export interface GivenOrder {
  /** The keys of its attempts: the first, and those by which it was given once more. */
  keys: readonly [string, ...string[]]
  order: TillOrder
  givenAt: Instant
  /** The names that the system is known to have for it; none: it gave none. */
  links: readonly Link[]
  /** When the first call was made, where more than one was: the system may have it twice under one key. */
  calledAgainSince?: Instant
}

export interface TallyRecords {
  tally(given: readonly GivenRecord[], question: Question): Promise<Tallied[]>
}

export interface TallyOrders {
  tally(given: readonly GivenOrder[], question: Question): Promise<Tallied[]>
}
