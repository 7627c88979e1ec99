import type { Instant } from '../values/instant.ts'

/** The type of a JSON value. */
export type ValueType = 'text' | 'number' | 'flag' | 'list' | 'object' | 'null'

/** One field of a kind's payloads, as it has been until now. */
export interface LearnedField {
  /** `items.gtin` is gtin of each row of items; `tags[]` a row that is no object; the payload itself is empty; `*` stands for keys that are data. */
  path: string
  /** When it was met first. */
  since: Instant
  /** In how many payloads it was met. */
  seen: number
  types: ValueType[]
  /** The words that it had; null: it is no field of a few words. */
  words: string[] | null
  /** The most keys at once of an object, or of the rows of a list, and in how many payloads there were any. */
  keys: number
  held: number
  /** An object whose keys are data (ids, names), so that a new one says nothing. */
  isMap: boolean
}

/** The payloads of one kind, as they have looked until now. */
export interface LearnedShape {
  kind: string
  /** The newest event that it is learned from. */
  upTo: number
  /** How many payloads it is learned from. */
  payloads: number
  fields: LearnedField[]
  /** There are more fields than are learned. */
  isFull: boolean
}

/** One field as a payload has it. */
export interface ObservedField {
  path: string
  /** The types that it has (of a field of rows there may be several), with a sample of each that shows nothing of people. */
  types: ReadonlyMap<ValueType, string>
  /** Words of a few, as kinds and states have; null: it is no such field. */
  words: readonly string[] | null
  keys: number
}

/** A kind of which nothing is learned yet. */
export function newShape(kind: string): LearnedShape {
  return { kind, upTo: 0, payloads: 0, fields: [], isFull: false }
}

/** The path of what a field is in; null: it is the payload itself. */
export function parentOf(path: string): string | null {
  if (path === '') return null
  if (path.endsWith('[]')) return path.slice(0, -2)
  return path.slice(0, Math.max(0, path.lastIndexOf('.')))
}
