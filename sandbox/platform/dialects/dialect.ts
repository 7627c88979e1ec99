import type { Operation } from './operation.ts'

/**
 * How the platform speaks: `spec`, to the letter and no word more; `facts`, the specification completed with public facts, as
 * tolerant as those; `frontsystems-v2`, the public documentation of Front Systems, and strict about it.
 */
export type DialectName = (typeof DIALECTS)[number]

export const DIALECTS = ['spec', 'facts', 'frontsystems-v2'] as const

/** The differences between platforms that do the same. A dialect is applied in one place, around the API. */
export interface Dialect {
  /** The prefix of `/api` in every path: nothing, or `/restapi/V2`. */
  base: string
  /** The operations that there are; null: all that the API behind has, as it has them. */
  operations: readonly Operation[] | null
  events: EventDialect
}

/** How what happened is told to those who subscribed. */
export interface EventDialect {
  /** Whether a document shows the payload of this kind; else nobody can know what is in it, but by its schema. */
  isShown(kind: string): boolean
  /** The payload as it is sent. `record`: what the API has of the thing, where it has more than the event's own payload. */
  write(kind: string, payload: object, record?: object): object
  /** The JSON Schema of what `write` makes of a kind; null: there is no such kind. */
  schema(kind: string): object | null
}
