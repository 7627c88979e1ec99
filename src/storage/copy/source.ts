import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { type PgTable, getTableConfig as pgConfig } from 'drizzle-orm/pg-core'
import { getTableConfig as sqliteConfig } from 'drizzle-orm/sqlite-core'
import { UserError } from '../../domain/values/errors.ts'
import type { StartThread } from '../../lib/thread.ts'
import { shared as target } from '../postgres/schema.ts'
import type { Tables } from '../schema.ts'
import { lockOut, missingMigrations } from '../sqlite/file/connection.ts'
import { codeOf, describeUnavailable, isUnavailable } from '../sqlite/file/unavailable.ts'
import { shared as source } from '../sqlite/schema.ts'
import { openSqliteStorage } from '../sqlite/storage.ts'

export interface Source extends Disposable {
  count(table: string): number
  rows(table: CopiedTable): Iterable<unknown[]>
}

/** UserError where it is missing, in use or of another version. */
export function checkSource(path: string): void {
  if (!existsSync(path)) throw new UserError(`There is no ${path}.`)
  using _lock = lockFile(path)
  using opened = openFile(path)
  const missing = plainly(path, () => missingMigrations(opened.db))
  if (missing < 0) throw new UserError(`${path} was written by a newer Tillbridge. Copy it with that version.`)
  if (missing > 0)
    throw new UserError(
      `${path} is no store of this version of Tillbridge. Start the hub on it, which brings it up to date, stop it, and copy then.`,
    )
}

/** Opens it as a hub once, to take over what the last hub left (claims, keys, facts, leases), then locks hubs out. */
export async function openSource(path: string, startThread?: StartThread): Promise<Source> {
  const problems: (string | null)[] = []
  const onOpening = (problem: string | null) => problems.push(problem)
  const storage = await openSqliteStorage({
    ...{ path, sameBytesWindow: 0, allKeys: true, onOpening },
    ...(startThread && { startThread }),
  })
  await storage[Symbol.asyncDispose]()
  if (problems[0]) throw new UserError(problems[0])
  using opening = new DisposableStack()
  opening.use(lockFile(path))
  const { db } = opening.use(openFile(path))
  db.exec('begin')
  const opened = opening.move()
  return {
    count: (table) => db.prepare<[], { n: number }>(`select count(*) as n from ${table}`).get()?.n ?? 0,
    rows({ name, columns, key }) {
      const order = key.length === 0 ? '' : ` order by ${key.map(({ expression }) => expression).join(', ')}`
      const values = columns.map(({ expression }) => expression).join(', ')
      const select = db.prepare<[], unknown[]>(`select ${values} from ${name}${order}`).raw()
      return { [Symbol.iterator]: () => select.iterate() }
    },
    [Symbol.dispose]: () => opened.dispose(),
  }
}

/** Opened for writing, but never written: a read-only connection leaves files behind. */
function openFile(path: string): Disposable & { db: Database.Database } {
  return plainly(path, () => {
    const db = new Database(path, { fileMustExist: true })
    try {
      db.pragma('query_only = on')
    } catch (error) {
      db.close()
      throw error
    }
    return { db, [Symbol.dispose]: () => void db.close() }
  })
}

function lockFile(path: string): Disposable {
  try {
    const lock = lockOut(path)
    return { [Symbol.dispose]: () => void lock.close() }
  } catch (error) {
    if (codeOf(error) !== 'SQLITE_BUSY') throw asUserError(error, path)
    throw new UserError(`A hub works on ${path}: stop it first, and start none on it before the copy is made.`)
  }
}

function plainly<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asUserError(error, path)
  }
}

function asUserError(error: unknown, path: string): unknown {
  if (!isUnavailable(error)) return error
  return new UserError(`There is nothing to copy: ${describeUnavailable(codeOf(error), path)}.`, { cause: error })
}

export type ColumnType = 'bigint' | 'integer' | 'boolean' | 'text' | 'uuid' | 'bytea'

interface CopiedColumn {
  name: string
  type: ColumnType
  expression: string
}

export interface CopiedTable {
  name: string
  columns: readonly CopiedColumn[]
  /** Rows are sent in its order, so that no index page is touched twice; empty: texts. */
  key: readonly CopiedColumn[]
}

/** PostgreSQL fills in what it alone has. */
const OWN = ['deliveries.partition', 'deliveries.xid']
const EXPRESSIONS: Record<string, string> = { 'attempts.id': 'rowid' }

/** All but `keys_merged` and `in_flight`, which are merged and counted when the file is taken over. */
export const COPIED_TABLES: readonly CopiedTable[] = (Object.keys(source) as (keyof Tables)[]).map((key) => {
  const { name, columns, primaryKeys } = pgConfig(target[key] as unknown as PgTable)
  const theirs = new Set(sqliteConfig(source[key]).columns.map((column) => column.name))
  const copied = columns.filter((column) => !OWN.includes(`${name}.${column.name}`))
  const read = copied.map((column) => {
    const expression = theirs.delete(column.name) ? `"${column.name}"` : EXPRESSIONS[`${name}.${column.name}`]
    if (expression === undefined) throw new Error(`Nothing says what goes into ${name}.${column.name}.`)
    return { name: column.name, type: typeOf(column.getSQLType()), expression }
  })
  if (theirs.size > 0) throw new Error(`PostgreSQL has no ${[...theirs].map((column) => `${name}.${column}`)}.`)
  const ofKey = (primaryKeys[0]?.columns ?? columns.filter((column) => column.primary)).map((column) => column.name)
  const inKey = ofKey.flatMap((column) => read.filter((one) => one.name === column))
  return { name, columns: read, key: inKey.some(({ type }) => type === 'text') ? [] : inKey }
})

function typeOf(sqlType: string): ColumnType {
  return (sqlType === 'bigserial' ? 'bigint' : sqlType) as ColumnType
}
