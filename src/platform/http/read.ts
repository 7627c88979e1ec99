import { isNotFound, PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { field, text } from '../../domain/values/field.ts'
import { type Decimal, readDecimal } from '../../domain/values/money.ts'
import { pluralize } from '../../domain/values/text.ts'
import { jsonOf } from '../../lib/json.ts'
import { eachInSlices } from '../../lib/semaphore.ts'

/** Names the place, never the value, which may be personal. */
export class UnexpectedAnswer extends Error {
  override name = 'UnexpectedAnswer'
}

export type WireRecord = Readonly<Record<string, unknown>>

export function asRecord(value: unknown): WireRecord {
  if (isRecord(value)) return value
  throw new UnexpectedAnswer(`is ${kindOfValue(value)}, not an object`)
}

/** Exact, also from text. */
export function decimal(record: unknown, name: string): Decimal | null {
  return readDecimal(record, name, () => {
    throw new UnexpectedAnswer(`has a ${name} that is not a decimal`)
  })
}

export function whole(record: unknown, name: string): number | null {
  const found = text(record, name)
  return found !== null && /^-?\d{1,15}$/.test(found) ? Number(found) : null
}

/** Store-local, as written. */
export function wallClock(record: unknown, name: string): string | null {
  const found = text(record, name)
  if (found === null || /^\d{4}-\d\d-\d\d([T ]|$)/.test(found)) return found
  throw new UnexpectedAnswer(`has a ${name} that is not a datetime`)
}

export function opened(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[[{]/.test(value) ? parsedOrText(value) : value
}

export function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export function isRecord(value: unknown): value is WireRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function kindOfValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

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

export function listOf(answer: unknown): unknown[] {
  if (answer === null || answer === undefined) return []
  if (Array.isArray(answer)) return answer
  const inner = field(answer, 'value')
  return Array.isArray(inner) ? inner : [answer]
}

/** `none` for a 404. */
export async function orNone<T, N>(read: Promise<T>, none: N): Promise<T | N> {
  try {
    return await read
  } catch (error) {
    if (isNotFound(error)) return none
    throw error
  }
}

export function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

/** Unreadable rows are rejected; a single record must be readable. */
export async function readListed<T>(
  answer: unknown,
  what: string,
  read: (record: WireRecord) => T,
): Promise<Listed<T>> {
  const list = isList(answer) ? answer : field(answer, 'value')
  if (!isList(list)) return { rows: readList(answer, what, read), rejected: [] }
  return await readRows(list, (value) => read(asRecord(value)))
}

/** `read` may take a row and return nothing: then nothing of it is kept. */
export async function readRows<T>(list: Iterable<unknown>, read: (value: unknown) => T): Promise<Listed<T>> {
  const listed: Listed<T> = { rows: [], rejected: [] }
  let row = 0
  await eachInSlices(list, (value) => {
    row += 1
    try {
      if (value instanceof NotJson) throw new UnexpectedAnswer('is not JSON')
      const row = read(value)
      if (row !== undefined) listed.rows.push(row)
    } catch (error) {
      if (!(error instanceof UnexpectedAnswer)) throw error
      listed.rejected.push({ row, why: error.message, record: value instanceof NotJson ? value.text : value })
    }
  })
  return listed
}

export interface Unreadable {
  row: number
  /** Never a value. */
  why: string
  /** May hold personal data. */
  record: unknown
}

/** If any are rejected, a missing row may be among them. */
export interface Listed<T> {
  rows: T[]
  rejected: Unreadable[]
}

/** A complete list clears earlier rows. */
export interface RejectedRowsLog {
  listed(operation: string, about: string, rejected: readonly Unreadable[]): void
}

export function joined(rejected: readonly Unreadable[], more: readonly Unreadable[]): Unreadable[] {
  const known = new Set(rejected.map(({ record }) => jsonOf(record).text))
  return [...rejected, ...more.filter(({ record }) => !known.has(jsonOf(record).text))]
}

export function rejectedText(rejected: readonly Unreadable[]): string | null {
  const [first] = rejected
  return first ? `${pluralize(rejected.length, 'row')} cannot be read (row ${first.row} ${first.why})` : null
}

/** Throws a RetryLaterError if any are rejected. */
export function allRows<T>({ rows, rejected }: Listed<T>, what: string): T[] {
  const unreadable = rejectedText(rejected)
  if (unreadable === null) return rows
  const message = `platform: ${what} cannot be told: ${unreadable}. It is asked for again.`
  throw new RetryLaterError(message, { code: 'not-readable' })
}

export function isListed(value: unknown): value is Listed<unknown> {
  return Array.isArray(field(value, 'rows')) && Array.isArray(field(value, 'rejected'))
}

export class NotJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Asking for less may succeed. */
const TOO_MUCH = ['answer-too-large', 'half-answer']

export function isTooMuch(error: unknown): boolean {
  return (error instanceof PermanentError || error instanceof RetryLaterError) && TOO_MUCH.includes(error.code)
}
