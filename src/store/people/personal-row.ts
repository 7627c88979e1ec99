import type { PlaceName } from './places.ts'

export type PlaceValue = string | Uint8Array | null

/** `row`: the engine's row id until changed. */
export interface PersonalRow {
  row: string
  event: number | null
  values: PlaceValue[]
}

/** `anyColumn`: not only the indexed one (`Place.exact`); takes a full scan. */
export type PersonalRows =
  | { place: PlaceName; ofEvents: readonly number[] }
  | { place: PlaceName; saying: readonly string[]; after: number; anyColumn?: boolean }

/** `next` null: complete. */
export interface PersonalPage {
  rows: PersonalRow[]
  next: number | null
  /** Of packed payloads: bytes unpacked, and problems as sentences. */
  unpacked?: number
  broken?: string[]
}

/** `to` null: delete. Not applied where the row is no longer `from`. */
export interface PersonalChange {
  place: PlaceName
  row: string
  from: PlaceValue[]
  to: PlaceValue[] | null
}

export interface Scrubbed {
  searched: { what: string; bytes: number }[]
  found: number
  /** What the storage cannot guarantee. */
  doubts: string[]
}
