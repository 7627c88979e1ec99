import { counted } from '../../domain/values/counted.ts'
import { RetryLaterError } from '../../domain/values/errors.ts'
import { field } from '../../domain/values/field.ts'
import { jsonOf } from '../../lib/exact-json.ts'

/** A row of a list that could not be read: it is kept aside, and the others go on. */
export interface Unreadable {
  /** The row's place in the answer, from 1. */
  row: number
  /** The field that is wrong, and how (`has no url`): never a value. */
  why: string
  /** The row as the platform wrote it, as far as it is kept: it may hold personal data, and stands in no message. */
  record: unknown
}

/**
 * A list that the platform answered. Where something is aside, what is not in `rows` may be there all the same: nobody may
 * conclude from its absence that it is not.
 */
export interface Listed<T> {
  rows: T[]
  aside: Unreadable[]
}

/** The book of rows set aside. It is also told where a list has none: then what was asked for reads again. */
export interface AsideBook {
  /** `about`: which part of the operation's rows was asked for (`stock 12`, `2026-11-20`); empty: all of them. */
  listed(operation: string, about: string, aside: readonly Unreadable[]): void
}

/** A list that came in parts: pages, or windows. Rows that are aside on several pages (a platform without pages) count once. */
export function joined(aside: readonly Unreadable[], more: readonly Unreadable[]): Unreadable[] {
  const known = new Set(aside.map(({ record }) => jsonOf(record).text))
  return [...aside, ...more.filter(({ record }) => !known.has(jsonOf(record).text))]
}

/** The rows set aside, in words: `2 rows cannot be read (row 3 has no url)`; null: there are none. */
export function asideText(aside: readonly Unreadable[]): string | null {
  const [first] = aside
  if (!first) return null
  const rows = counted(aside.length, 'row')
  return `${rows} cannot be read (row ${first.row} ${first.why})`
}

/** The rows of a list of which none may be missing: where something is aside, what is looked for may be among it. */
export function allRows<T>({ rows, aside }: Listed<T>, what: string): T[] {
  const unreadable = asideText(aside)
  if (unreadable === null) return rows
  throw new RetryLaterError(`platform: ${what} cannot be told: ${unreadable}. It is asked for again.`, {
    code: 'not-readable',
  })
}

export function isListed(value: unknown): value is Listed<unknown> {
  return Array.isArray(field(value, 'rows')) && Array.isArray(field(value, 'aside'))
}
