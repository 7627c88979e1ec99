import type { BookingName, Bookings } from '../domain/books/bookings.ts'
import type { Attempt, Batch, BatchResult, Effect, FoundEffect } from './attempt.ts'
import type { TallyRecords } from './tally.ts'

/** An ERP, accounts, or what BI reads: each method takes records of one kind, one or several at once. */
export type BackOfficePort = {
  [Name in BookingName]?: (batch: Batch<Bookings[Name]>) => Promise<BatchResult>
} & Partial<TallyRecords> & {
    /** Whether the record of an earlier, uncertain attempt of this key is there; null: it is not. */
    find?(attempt: Attempt, call: BackOfficeCall): Promise<Effect | null>
    /** Everything there that bears this key, whichever try made it. Changes nothing. Null: it cannot tell of this record. */
    findAll?(attempt: Attempt, call: BackOfficeCall): Promise<FoundEffect[] | null>
  }

export type BackOfficeCall = {
  [Name in BookingName]: { port: 'backOffice'; method: Name; argument: Bookings[Name] }
}[BookingName]
