import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { type PgTable, getTableConfig as pgConfig } from 'drizzle-orm/pg-core'
import { getTableConfig as sqliteConfig } from 'drizzle-orm/sqlite-core'
import pg from 'pg'
import { messageOf, StorageUnavailableError, UserError } from '../../domain/values/errors.ts'
import type { StartThread } from '../../lib/thread.ts'
import { fileOf, isPostgres } from '../open.ts'
import { shared as target } from '../postgres/schema.ts'
import { type Address, readAddress } from '../postgres/server/address.ts'
import { migrateSchema, SET_SEQUENCES } from '../postgres/server/migrate.ts'
import { connectionOptions } from '../postgres/server/pool.ts'
import { asStorageError } from '../postgres/server/unavailable.ts'
import type { Tables } from '../schema.ts'
import { lockOut, missingMigrations } from '../sqlite/file/connection.ts'
import { codeOf, describeUnavailable, isUnavailable } from '../sqlite/file/unavailable.ts'
import { shared as source } from '../sqlite/schema.ts'
import { openSqliteStorage } from '../sqlite/storage.ts'
import { textOf } from '../tables/statement.ts'

type ColumnType = 'bigint' | 'integer' | 'boolean' | 'text' | 'uuid' | 'bytea'

interface CopiedColumn {
  name: string
  type: ColumnType
  expression: string
}

interface CopiedTable {
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

const LOCK_TIMEOUT = 10_000

/**
 * Copies a SQLite storage into an empty PostgreSQL schema in one transaction, verified by table hashes. UserError
 * before it begins; CopyError: nothing was written.
 */
export async function copyStorage(options: CopyOptions): Promise<CopyReport> {
  const { from, to, lockTimeout = LOCK_TIMEOUT, startThread } = options
  if (!from.startsWith('file:')) throw new UserError('--from names no file: use file:./data/tillbridge.db')
  // It may hold a password: not repeated.
  if (!isPostgres(to)) throw new UserError('--to names no PostgreSQL database: use postgres://user@host:5432/database')
  const file = fileOf(from)
  checkSource(file)
  const address = addressOf(to)
  await using target = await plainly(address, () => openTarget(address, lockTimeout))
  await using source = await openSource(file, startThread)
  let left = 'Nothing of it is there: type the same again.'
  try {
    const tables = await fill(source, target, options)
    await target.complete()
    left = 'Whether the copy is there cannot be told from here: type the same again, which is refused if it is.'
    await target.commit()
    return { file, server: address.server, schema: address.schema, tables }
  } catch (error) {
    throw new CopyError(`The copy was broken off: ${wordsOf(error, address)} ${left}`, { cause: error })
  }
}

async function fill(
  source: Source,
  target: Target,
  { progress = () => {} }: CopyOptions,
): Promise<CopyReport['tables']> {
  const counts = COPIED_TABLES.map(({ name }) => source.count(name))
  const of = counts.reduce((sum, count) => sum + count, 0)
  let done = 0
  progress({ doing: 'copying', done, of })
  const copied: { digest: string }[] = []
  for (const table of COPIED_TABLES)
    copied.push(
      await target.fill(table, source.rows(table), (rows) => {
        done += rows
        progress({ doing: 'copying', done, of })
      }),
    )
  done = 0
  const report: CopyReport['tables'] = []
  const differences: string[] = []
  for (const [index, table] of COPIED_TABLES.entries()) {
    const { name } = table
    const read = await target.read(table)
    const sent = copied[index]
    // The count uses another index than the read: in a damaged file they may differ.
    const file = counts[index] ?? 0
    if (read.rows !== file) differences.push(`PostgreSQL has ${read.rows} of ${file} rows of ${name}`)
    else if (read.digest !== sent?.digest) differences.push(`of ${name}, PostgreSQL has other rows than the file`)
    report.push({ table: name, file, postgres: read.rows, equal: true })
    done += read.rows
    progress({ doing: 'verifying', done, of })
  }
  if (differences.length > 0) throw new Error(`The copy is not what the file is: ${differences.join('; ')}`)
  return report
}

function addressOf(to: string): Address {
  try {
    return readAddress(to)
  } catch (error) {
    if (error instanceof UserError) throw new UserError(error.message.replace('store.url:', '--to:'))
    throw error
  }
}

async function plainly<T>(address: Address, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const plain = asStorageError(error, address.server)
    if (plain instanceof StorageUnavailableError || plain instanceof pg.DatabaseError)
      throw new UserError(wordsOf(error, address), { cause: error })
    throw plain
  }
}

function wordsOf(error: unknown, { server }: Address): string {
  const plain = asStorageError(error, server)
  if (plain instanceof pg.DatabaseError)
    return `PostgreSQL at ${server} refuses: ${plain.message}${plain.where ? ` (${plain.where})` : ''}.`
  const message = messageOf(plain)
  return message.endsWith('.') ? message : `${message}.`
}

const LOCK_NOT_AVAILABLE = '55P03'

const UNLIMITED = `
  select set_config(name, '0', false) from pg_settings
    where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`

const ALIVE = '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3'

const ALL_TABLES = COPIED_TABLES.map(({ name }) => name)

const NEW: Record<string, string> = { customer_count: 'n <> 0', search_index: 'up_to <> 0' }

type Target = Awaited<ReturnType<typeof openTarget>>

/** Creates the schema and locks its tables; UserError where it is not empty or in use. `lockTimeout` in ms. */
async function openTarget(address: Address, lockTimeout: number) {
  const { schema, server, pooled } = address
  if (pooled)
    throw new UserError(
      'A store is not copied through a pooler in transaction mode: name the server itself, without ?pooled=true.',
    )
  await migrateSchema(address)
  const client = new pg.Client({
    ...connectionOptions(address),
    query_timeout: 0,
    options: `-c search_path=${schema} -c client_min_messages=warning -c lock_timeout=${lockTimeout} ${ALIVE}`,
  })
  client.on('error', () => {})
  await using opened = new AsyncDisposableStack()
  opened.defer(() => client.end().catch(() => undefined))
  await client.connect()
  await client.query(UNLIMITED)
  await client.query('begin')
  await lockTables()
  await refuseRows()
  await client.query(`truncate ${ALL_TABLES}`)
  const open = opened.move()

  return {
    async fill(table: CopiedTable, rows: Iterable<readonly unknown[]>, onRows: (rows: number) => void) {
      const { name, columns } = table
      const insert = insertInto(table)
      const digest = createDigest()
      let [sent, taken] = [0, 0]
      for (const chunk of chunksOf(rows, columns)) {
        for (const row of chunk) digest.add(row)
        const objects = chunk.map((row) =>
          Object.fromEntries(columns.map((column, index) => [column.name, row[index]])),
        )
        sent += chunk.length
        taken += (await client.query(insert, [JSON.stringify(objects)])).rowCount ?? 0
        onRows(chunk.length)
      }
      if (taken !== sent) throw new Error(`PostgreSQL took ${taken} of ${sent} rows of ${name}`)
      return { rows: taken, digest: digest.value() }
    },

    async read({ name, columns }: CopiedTable) {
      const digest = createDigest()
      const values = columns.map((column) => READ[column.type]?.(`"${column.name}"`) ?? `"${column.name}"`)
      await client.query(`declare copied no scroll cursor for select ${values.join(', ')} from ${name}`)
      const rowsARead = columns.some(({ type }) => type === 'bytea') ? ROWS_A_READ.bytes : ROWS_A_READ.values
      let rows = 0
      for (;;) {
        const page = await client.query<unknown[]>({ text: `fetch ${rowsARead} from copied`, rowMode: 'array' })
        for (const row of page.rows) digest.add(row)
        rows += page.rows.length
        if (page.rows.length < rowsARead) break
      }
      await client.query('close copied')
      return { rows, digest: digest.value() }
    },

    async complete() {
      await client.query(`analyze ${ALL_TABLES}`)
      // Last, as no rollback takes it back.
      for (const statement of SET_SEQUENCES) await client.query(statement)
    },

    commit: async () => void (await client.query('commit')),

    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }

  async function lockTables(): Promise<void> {
    try {
      await client.query(`lock table ${ALL_TABLES} in access exclusive mode`)
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error
      throw new UserError(
        `The schema ${schema} at ${server} is in use: stop its hubs, or wait until the copy that goes into it has ended.`,
      )
    }
  }

  async function refuseRows(): Promise<void> {
    const filled: string[] = []
    for (const name of ALL_TABLES) {
      const where = NEW[name] ?? 'true'
      const { rows } = await client.query<{ any: boolean }>(
        `select exists (select 1 from ${name} where ${where}) as any`,
      )
      if (rows[0]?.any) filled.push(name)
    }
    if (filled.length > 0)
      throw new UserError(
        `The schema ${schema} at ${server} is not empty (${filled.join(', ')}): a store is copied into an empty one. Name another (?schema=…), or drop this one if nothing in it is needed.`,
      )
  }
}

/** Characters of a statement, about; one row may be larger. */
const CHUNK = 256 * 1024
/** A page is in memory at once, and a payload may be megabytes. */
const ROWS_A_READ = { values: 1_000, bytes: 16 }

function* chunksOf(
  rows: Iterable<readonly unknown[]>,
  columns: CopiedTable['columns'],
): Generator<(readonly unknown[])[]> {
  let chunk: (readonly unknown[])[] = []
  let size = 0
  for (const row of rows) {
    const values = columns.map(({ type }, index) => storedValue(type, row[index]))
    chunk.push(values)
    for (const value of values) size += typeof value === 'string' ? value.length : NUMBER
    if (size < CHUNK) continue
    yield chunk
    chunk = []
    size = 0
  }
  if (chunk.length > 0) yield chunk
}

const NUMBER = 8

/** A value of SQLite as PostgreSQL has it; bytes in hex. */
function storedValue(type: ColumnType, value: unknown): string | number | boolean | null {
  if (value === null) return null
  if (type === 'text' && typeof value === 'string') return textOf(value)
  if ((type === 'bigint' || type === 'integer') && typeof value === 'number' && Number.isFinite(value))
    return Math.round(value)
  if (type === 'boolean' && typeof value === 'number') return value !== 0
  if ((type === 'bytea' || type === 'uuid') && value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  throw new Error(`A ${typeof value} is no ${type}.`)
}

const READ: Partial<Record<ColumnType, (column: string) => string>> = {
  bytea: (column) => `encode(${column}, 'hex')`,
  uuid: (column) => `replace(${column}::text, '-', '')`,
}

function insertInto({ name, columns }: CopiedTable): string {
  const names = columns.map((column) => `"${column.name}"`)
  const values = columns.map(({ type }, index) => (type === 'bytea' ? `decode(${names[index]}, 'hex')` : names[index]))
  const types = columns.map(({ type }, index) => `${names[index]} ${type === 'bytea' ? 'text' : type}`)
  return `insert into ${name} (${names.join(', ')})
    select ${values.join(', ')} from json_to_recordset($1::text::json) as r (${types.join(', ')})`
}

/** Sum of each row's SHA-256: independent of order, as both sides sort texts differently. */
function createDigest() {
  let sum = 0n
  return {
    add(row: readonly unknown[]): void {
      sum += BigInt(`0x${hash('sha256', JSON.stringify(row))}`)
    },
    value: (): string => BigInt.asUintN(256, sum).toString(16),
  }
}

export interface CopyOptions {
  from: string
  to: string
  progress?: (step: CopyStep) => void
  lockTimeout?: number
  startThread?: StartThread
}

export interface CopyStep {
  doing: 'copying' | 'verifying'
  done: number
  of: number
}

export interface CopyReport {
  file: string
  server: string
  schema: string
  tables: { table: string; file: number; postgres: number; equal: true }[]
}

export class CopyError extends Error {
  override name = 'CopyError'
}

type Source = Awaited<ReturnType<typeof openSource>>

/** UserError where it is missing, in use or of another version. */
function checkSource(path: string): void {
  if (!existsSync(path)) throw new UserError(`There is no ${path}.`)
  using _lock = lockFile(path)
  using opened = openFile(path)
  const missing = sayingWhy(path, () => missingMigrations(opened.db))
  if (missing < 0) throw new UserError(`${path} was written by a newer Tillbridge. Copy it with that version.`)
  if (missing > 0)
    throw new UserError(
      `${path} is no store of this version of Tillbridge. Start the hub on it, which brings it up to date, stop it, and copy then.`,
    )
}

/** Opens it as a hub once, to take over what the last hub left (claims, keys, facts, leases), then locks hubs out. */
async function openSource(path: string, startThread?: StartThread) {
  const problems: (string | null)[] = []
  const onOpening = (problem: string | null) => problems.push(problem)
  const storage = await openSqliteStorage({
    ...{ path, sameBytesWindow: 0, allKeys: true, onOpening },
    ...(startThread && { startThread }),
  })
  await storage[Symbol.asyncDispose]()
  if (problems[0]) throw new UserError(problems[0])
  await using opening = new AsyncDisposableStack()
  opening.use(lockFile(path))
  const { db } = opening.use(openFile(path))
  db.exec('begin')
  const opened = opening.move()
  return {
    count: (table: string): number => db.prepare<[], { n: number }>(`select count(*) as n from ${table}`).get()?.n ?? 0,
    rows({ name, columns, key }: CopiedTable): Iterable<unknown[]> {
      const order = key.length === 0 ? '' : ` order by ${key.map(({ expression }) => expression).join(', ')}`
      const values = columns.map(({ expression }) => expression).join(', ')
      const select = db.prepare<[], unknown[]>(`select ${values} from ${name}${order}`).raw()
      return { [Symbol.iterator]: () => select.iterate() }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Opened for writing, but never written: a read-only connection leaves files behind. */
function openFile(path: string): Disposable & { db: Database.Database } {
  return sayingWhy(path, () => {
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

function sayingWhy<T>(path: string, work: () => T): T {
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
