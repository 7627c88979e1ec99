import type { BookingName, Bookings } from '../domain/books/bookings.ts'
import type { Attempt, Batch, BatchResult, Effect } from './attempt.ts'
import type { TallyRecords } from './tally.ts'

/** An ERP, accounts, or what BI reads: each method takes records of one kind, one or several at once. */
export type BackOfficePort = {
  [Name in BookingName]?: (batch: Batch<Bookings[Name]>) => Promise<BatchResult>
} & Partial<TallyRecords> & {
    /** Whether the record of an earlier, uncertain attempt of this key is there; null: it is not. */
    find?(attempt: Attempt, call: BackOfficeCall): Promise<Effect | null>
  }

export type BackOfficeCall = {
  [Name in BookingName]: { port: 'backOffice'; method: Name; argument: Bookings[Name] }
}[BookingName]
