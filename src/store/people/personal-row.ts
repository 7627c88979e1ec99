import type { PlaceName } from './places.ts'

/** A value of a row: text, bytes, or nothing. */
export type PlaceValue = string | Uint8Array | null

/** A row that may speak of a person. `row`: what the store knows it by until it is changed. */
export interface PersonalRow {
  row: string
  /** The event that it is of; null: of none. */
  event: number | null
  values: PlaceValue[]
}

/** The rows that are asked for: those of events, or those of a stretch of the table that say one of these texts. */
export type PersonalRows =
  | { place: PlaceName; ofEvents: readonly number[] }
  | { place: PlaceName; saying: readonly string[]; after: number }

/** `next`: where the next stretch begins; null: that was the last. */
export interface PersonalPage {
  rows: PersonalRow[]
  next: number | null
}

/** A row as it is to be; null: it is to go. Where it says something else than `from` by now, it stays. */
export interface PersonalChange {
  place: PlaceName
  row: string
  from: PlaceValue[]
  to: PlaceValue[] | null
}

/** What was looked through for the last remains, and where some are. */
export interface Scrubbed {
  /** How many bytes of each thing were looked through, or rows of a server's tables. */
  searched: { what: string; bytes: number }[]
  /** How often a text of the person was found. */
  found: number
  /** What was found stands in rows, and in no bytes that rows have left. */
  inRowsAlone: boolean
  /** Pages of the file whose free bytes were overwritten. */
  pages: number
  /** What the store cannot answer for. */
  doubts: string[]
}
