import type { BookingName, Bookings } from '../domain/books/bookings.ts'
import type { Attempt, Batch, BatchResult, CallOf, Effect } from './attempt.ts'
import type { TallyRecords } from './tally.ts'

/** An ERP, accounting or BI: each method takes records of one kind. */
export type BackOfficePort = {
  [Name in BookingName]?: (batch: Batch<Bookings[Name]>) => Promise<BatchResult>
} & Partial<TallyRecords> & {
    /** The record of an attempt in doubt; null: not there. */
    find?(attempt: Attempt, call: BackOfficeCall): Promise<Effect | null>
  }

export type BackOfficeCall = CallOf<'backOffice', BackOfficePort, BookingName>
