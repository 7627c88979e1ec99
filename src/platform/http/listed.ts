import { counted } from '../../domain/values/counted.ts'
import { RetryLaterError } from '../../domain/values/errors.ts'
import { field } from '../../domain/values/field.ts'
import { eachInSlices } from '../../lib/slices.ts'
import { asRecord, readList, UnexpectedAnswer, type WireRecord } from './read.ts'

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

/** Reads each row of a list; a record alone, which is no list, must be what was asked for. */
export function readListed<T>(answer: unknown, what: string, read: (record: WireRecord) => T): Listed<T> {
  const list = Array.isArray(answer) ? answer : field(answer, 'value')
  if (!Array.isArray(list)) return { rows: readList(answer, what, read), aside: [] }
  return readRows(list, (value) => read(asRecord(value)))
}

/** Reads each row. `read` throws an UnexpectedAnswer for one that it cannot read. */
export function readRows<T>(list: Iterable<unknown>, read: (value: unknown) => T): Listed<T> {
  const { listed, add } = createList(read)
  for (const value of list) add(value)
  return listed
}

/** The same of very many rows, which may come one at a time: others have turns in between. */
export async function readManyRows<T>(list: Iterable<unknown>, read: (value: unknown) => T): Promise<Listed<T>> {
  const { listed, add } = createList(read)
  await eachInSlices(list, add)
  return listed
}

function createList<T>(read: (value: unknown) => T) {
  const listed: Listed<T> = { rows: [], aside: [] }
  let row = 0
  return {
    listed,
    add(value: unknown): void {
      row += 1
      try {
        listed.rows.push(read(value))
      } catch (error) {
        if (!(error instanceof UnexpectedAnswer)) throw error
        listed.aside.push({ row, why: error.message, record: value })
      }
    },
  }
}

/** A list that came in parts: pages, or windows. Rows that are aside on several pages (a platform without pages) count once. */
export function joined(aside: readonly Unreadable[], more: readonly Unreadable[]): Unreadable[] {
  const known = new Set(aside.map(({ record }) => JSON.stringify(record)))
  return [...aside, ...more.filter(({ record }) => !known.has(JSON.stringify(record)))]
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
