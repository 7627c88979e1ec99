import { hash } from 'node:crypto'
import { executeLater, type Later, type Steps } from '../../tables/statement.ts'

export interface Prepared<Row> {
  name: string
  text: string
  row?: Row
}

export interface Session {
  query<Row>(statement: Prepared<Row>, values?: readonly unknown[]): Promise<Row[]>
}

/** node-postgres (pool.ts), or PGlite in tests. */
export interface Database extends Session, AsyncDisposable {
  /**
   * READ COMMITTED, repeated on deadlock or RepeatError; `work` must use its session only, as the pool may have one
   * connection. Rejects with a StorageUnavailableError.
   */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>
  listen(channel: string, heard: (payload: string | null) => void): AsyncDisposable
  vacuum(tables: readonly string[]): Promise<{ table: string; error: unknown }[]>
}

export class RepeatError extends Error {
  override name = 'RepeatError'
}

/** Pipelined statements of one session; waits for all, however they end. */
export async function together<T extends readonly Promise<unknown>[]>(...all: T) {
  await Promise.allSettled(all)
  return await Promise.all(all)
}

export function prepared<Row = never>(text: string): Prepared<Row> {
  return { name: hash('sha256', text).slice(0, 24), text }
}

export function perform<T>(session: Session, steps: Steps<T>): Promise<T> {
  return executeLater(steps, ({ statement, values }) => session.query(statement, values))
}

export function alone<M extends object>(db: Database, methods: M): Later<M> {
  return mapped(methods, (begin) => perform(db, begin()))
}

export function inTransactions<M extends object>(db: Database, methods: M): Later<M> {
  return mapped(methods, (begin) => db.transaction((session) => perform(session, begin())))
}

function mapped<M extends object>(methods: M, run: <T>(begin: () => Steps<T>) => Promise<T>): Later<M> {
  const entries = Object.entries(methods as Record<string, (...args: unknown[]) => Steps<unknown>>)
  return Object.fromEntries(
    entries.map(([name, method]) => [name, (...args: unknown[]) => run(() => method(...args))]),
  ) as Later<M>
}
