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

/**
 * The rows that are asked for: those of events, or those of a stretch of the table that say one of these texts. `anyColumn`: also where
 * an index has one column alone (`Place.exact`), which takes as long as to read the table.
 */
export type PersonalRows =
  | { place: PlaceName; ofEvents: readonly number[] }
  | { place: PlaceName; saying: readonly string[]; after: number; anyColumn?: boolean }

/** `next`: where the next stretch begins; null: that was the last. */
export interface PersonalPage {
  rows: PersonalRow[]
  next: number | null
  /** Of packed payloads: bytes that were unpacked, and why others could not be, one sentence each. */
  unpacked?: number
  broken?: string[]
}

/** A row as it is to be; null: it is to go. Where it says something else than `from` by now, it stays. */
export interface PersonalChange {
  place: PlaceName
  row: string
  from: PlaceValue[]
  to: PlaceValue[] | null
}

/** What was searched for the last remains, and how many there are. */
export interface Scrubbed {
  /** Bytes of each thing that was searched. */
  searched: { what: string; bytes: number }[]
  /** How often a text of the person was found. */
  found: number
  /** What the storage cannot answer for. */
  doubts: string[]
}
