import { isNotThere, PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { field, text } from '../../domain/values/field.ts'
import { type Decimal, readDecimal } from '../../domain/values/money.ts'
import { counted } from '../../domain/values/text.ts'
import { jsonOf } from '../../lib/json.ts'
import { eachInSlices } from '../../lib/semaphore.ts'

/** An answer that cannot be what was asked for. The message names where, never a value: values may be personal data. */
export class UnexpectedAnswer extends Error {
  override name = 'UnexpectedAnswer'
}

/** A record as the platform wrote it, fields that nobody here knows included. */
export type WireRecord = Readonly<Record<string, unknown>>

export function asRecord(value: unknown): WireRecord {
  if (isRecord(value)) return value
  throw new UnexpectedAnswer(`is ${kindOfValue(value)}, not an object`)
}

/** A number, also as text, exact; null where there is none. Throws where there is something else. */
export function decimal(record: unknown, name: string): Decimal | null {
  return readDecimal(record, name, () => {
    throw new UnexpectedAnswer(`has a ${name} that is not a decimal`)
  })
}

/** A whole number, also as text; null for anything else. */
export function whole(record: unknown, name: string): number | null {
  const found = text(record, name)
  return found !== null && /^-?\d{1,15}$/.test(found) ? Number(found) : null
}

/** A store's wall clock as the platform wrote it; null where there is none. Throws where it does not begin with a day. */
export function wallClock(record: unknown, name: string): string | null {
  const found = text(record, name)
  if (found === null || /^\d{4}-\d\d-\d\d([T ]|$)/.test(found)) return found
  throw new UnexpectedAnswer(`has a ${name} that is not a datetime`)
}

/** An object or a list that was written as JSON within JSON is opened; anything else is as it came. */
export function opened(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

export function isRecord(value: unknown): value is WireRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The kind of a value, for messages. */
export function kindOfValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Reads each record of a list of which every one must be readable. */
export function readList<T>(answer: unknown, what: string, read: (record: WireRecord) => T): T[] {
  return listOf(answer).map((value, index) => {
    try {
      return read(asRecord(value))
    } catch (error) {
      if (error instanceof UnexpectedAnswer) throw new UnexpectedAnswer(`${what} ${index + 1} ${error.message}`)
      throw error
    }
  })
}

/** The list in an answer: itself, in an odata envelope (`value`), or the one thing that there is. */
export function listOf(answer: unknown): unknown[] {
  if (answer === null || answer === undefined) return []
  if (Array.isArray(answer)) return answer
  const inner = field(answer, 'value')
  return Array.isArray(inner) ? inner : [answer]
}

/** The thing that a read finds; a 404 is `none`: there is nothing of this name, or no such operation (`operations.isProven`). */
export async function orNone<T, N>(read: Promise<T>, none: N): Promise<T | N> {
  try {
    return await read
  } catch (error) {
    if (isNotThere(error)) return none
    throw error
  }
}

/** Reads each row of a list; a record alone, which is no list, must be what was asked for. */
export function readListed<T>(answer: unknown, what: string, read: (record: WireRecord) => T): Listed<T> {
  const list = Array.isArray(answer) ? answer : field(answer, 'value')
  if (!Array.isArray(list)) return { rows: readList(answer, what, read), aside: [] }
  return readRows(list, (value) => read(asRecord(value)))
}

/** The same of a list that may be very long, or comes row by row: others have turns in between. */
export async function readManyListed<T>(
  answer: unknown,
  what: string,
  read: (record: WireRecord) => T,
): Promise<Listed<T>> {
  const list = isList(answer) ? answer : field(answer, 'value')
  return isList(list) ? await readManyRows(list, (value) => read(asRecord(value))) : readListed(answer, what, read)
}

/** As JSON, or as a list that is read row by row. */
export function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

/** Reads each row. `read` throws an UnexpectedAnswer for one that it cannot read. */
export function readRows<T>(list: Iterable<unknown>, read: (value: unknown) => T): Listed<T> {
  const { listed, add } = createList(read)
  for (const value of list) add(value)
  return listed
}

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
      if (value instanceof NotJson) {
        listed.aside.push({ row, why: 'is not JSON', record: value.text })
        return
      }
      try {
        listed.rows.push(read(value))
      } catch (error) {
        if (!(error instanceof UnexpectedAnswer)) throw error
        listed.aside.push({ row, why: error.message, record: value })
      }
    },
  }
}

/** A row of a list that could not be read: it is set aside, and the others go on. */
export interface Unreadable {
  /** The row's place in the answer, from 1. */
  row: number
  /** The field that is wrong, and how (`has no url`): never a value. */
  why: string
  /** The row as the platform wrote it, as far as it is kept: it may hold personal data, and stands in no message. */
  record: unknown
}

/** A list that the platform answered. Where something is aside, what is not in `rows` may be there all the same. */
export interface Listed<T> {
  rows: T[]
  aside: Unreadable[]
}

/** The book of rows set aside. It is also told where a list has none: then what was asked for reads again. */
export interface AsideBook {
  /** `about`: which part of the operation's rows was asked for (`stock 12`, `2026-11-20`); empty: all of them. */
  listed(operation: string, about: string, aside: readonly Unreadable[]): void
}

/** A list that came in parts. Rows that are aside on several pages (a platform without pages) count once. */
export function joined(aside: readonly Unreadable[], more: readonly Unreadable[]): Unreadable[] {
  const known = new Set(aside.map(({ record }) => jsonOf(record).text))
  return [...aside, ...more.filter(({ record }) => !known.has(jsonOf(record).text))]
}

/** The rows set aside, in words: `2 rows cannot be read (row 3 has no url)`; null: there are none. */
export function asideText(aside: readonly Unreadable[]): string | null {
  const [first] = aside
  return first ? `${counted(aside.length, 'row')} cannot be read (row ${first.row} ${first.why})` : null
}

/** The rows of a list of which none may be missing: where something is aside, what is looked for may be among it. */
export function allRows<T>({ rows, aside }: Listed<T>, what: string): T[] {
  const unreadable = asideText(aside)
  if (unreadable === null) return rows
  const message = `platform: ${what} cannot be told: ${unreadable}. It is asked for again.`
  throw new RetryLaterError(message, { code: 'not-readable' })
}

export function isListed(value: unknown): value is Listed<unknown> {
  return Array.isArray(field(value, 'rows')) && Array.isArray(field(value, 'aside'))
}

/** A row of a list whose bytes are no JSON; `text` may hold personal data. */
export class NotJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Codes of an answer that is longer than what is read, and of one that broke off before its end, as one does that takes too long. */
const TOO_MUCH = ['answer-too-large', 'half-answer']

/** Whether a read failed by how much was asked for, so that less at once may be answered. */
export function isTooMuch(error: unknown): boolean {
  return (error instanceof PermanentError || error instanceof RetryLaterError) && TOO_MUCH.includes(error.code)
}
