import { hash } from 'node:crypto'
import { storableText } from '../../../domain/values/text.ts'

/** A statement that each connection prepares once. `Row` is what it answers. */
export interface Prepared<Row> {
  name: string
  text: string
  /** Never there: it carries the type. */
  row?: Row
}

/** A session answers statements: a connection in a transaction, or any connection for a statement alone. */
export interface Session {
  query<Row>(statement: Prepared<Row>, values?: readonly unknown[]): Promise<Row[]>
}

/** The server, as the store needs it: node-postgres in the hub (pool.ts), PGlite in tests where no server is. */
export interface Database extends Session, AsyncDisposable {
  /**
   * Runs `work` as one READ COMMITTED transaction, from its start again where another one stood in the way (deadlock, or
   * a `RepeatError`). It must not ask the database by itself for anything meanwhile: the pool may have one connection.
   * Rejects with a StoreUnavailableError where the server cannot be reached, or cannot write now.
   */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>
  /** Calls back with each notice of a channel, and with null when some may have been lost. */
  listen(channel: string, heard: (payload: string | null) => void): AsyncDisposable
  /** Gives the room of old rows back, table by table, for as long as it takes; the tables where it failed. */
  vacuum(tables: readonly string[]): Promise<{ table: string; error: unknown }[]>
}

/** A transaction was based on something that is not true any more: it is run again from its start. */
export class RepeatError extends Error {
  override name = 'RepeatError'
}

/**
 * Statements of one session that do not wait for each other: they are carried out in the order in which they were asked.
 * Waits for all of them, however they end, since whoever goes on would else meet a transaction that is over.
 */
export async function together<A, B, C = undefined>(a: Promise<A>, b: Promise<B>, c?: Promise<C>) {
  await Promise.allSettled([a, b, c])
  return await Promise.all([a, b, c])
}

/** A statement under a name that its text gives. */
export function prepared<Row = never>(text: string): Prepared<Row> {
  return { name: hash('sha256', text).slice(0, 24), text }
}

/**
 * Rows as a parameter: `json_to_recordset($1::text::json)` makes them rows again. What no text of PostgreSQL can hold
 * (NUL, half a surrogate pair) becomes U+FFFD.
 */
export function rowsOf(rows: readonly object[]): string {
  const json = JSON.stringify(rows)
  return NOT_TEXT.test(json) ? JSON.stringify(rows, (_, value) => textOf(value)) : json
}

/** Text that PostgreSQL can hold; other values as they are. */
export function textOf<T>(value: T): T | string {
  return typeof value === 'string' ? storableText(value) : value
}

/** As JSON writes them; it also finds what only looks so, which does no harm. */
const NOT_TEXT = /\\u0000|\\ud[89a-f]/
