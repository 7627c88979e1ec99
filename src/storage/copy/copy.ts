import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { type PgTable, getTableConfig as pgConfig } from 'drizzle-orm/pg-core'
import { getTableConfig as sqliteConfig } from 'drizzle-orm/sqlite-core'
import pg from 'pg'
import { messageOf, UserError } from '../../domain/values/errors.ts'
import { chunksOf, sumOf } from '../../lib/collections.ts'
import { type StartThread, startThread } from '../../lib/thread.ts'
import { fileOf, isPostgres } from '../open.ts'
import { shared as target } from '../postgres/schema.ts'
import { type Address, readAddress, transactionSettings } from '../postgres/server/address.ts'
import { migrateSchema, SET_SEQUENCES } from '../postgres/server/migrate.ts'
import { connectionOptions } from '../postgres/server/pool.ts'
import { asStorageError } from '../postgres/server/unavailable.ts'
import type { Tables } from '../schema.ts'
import { lockOut, missingMigrations } from '../sqlite/file/connection.ts'
import { codeOf, describeUnavailable, isUnavailable } from '../sqlite/file/unavailable.ts'
import { shared as source } from '../sqlite/schema.ts'
import { openSqliteStorage } from '../sqlite/storage.ts'
import { rowsOf } from '../tables/statement.ts'

export interface CopyReport {
  file: string
  server: string
  schema: string
  tables: { table: string; rows: number }[]
}

export class CopyError extends Error {
  override name = 'CopyError'
}

interface CopiedTable {
  name: string
  /** With PostgreSQL's types; it fills in what it alone has. */
  columns: readonly { name: string; type: string }[]
}

/** All but `keys_merged` and `in_flight`, which are merged and counted when the file is taken over. */
export const COPIED_TABLES: readonly CopiedTable[] = (Object.keys(source) as (keyof Tables)[]).map((key) => {
  const types = new Map(
    pgConfig(target[key] as unknown as PgTable).columns.map((column) => [column.name, column.getSQLType()]),
  )
  const { name, columns } = sqliteConfig(source[key])
  return { name, columns: columns.map((column) => ({ name: column.name, type: types.get(column.name) ?? 'missing' })) }
})

const TABLES = COPIED_TABLES.map(({ name }) => name)

/**
 * Copies the SQLite storage of a stopped hub into an empty PostgreSQL schema in one transaction; the rows of each table
 * are counted before the commit. UserError where it cannot begin, CopyError where it was broken off.
 */
export async function copyStorage(from: string, to: string, start: StartThread = startThread): Promise<CopyReport> {
  // An address may hold a password: not repeated.
  if (!from.startsWith('file:')) throw new UserError('--from names no file: use file:./data/tillbridge.db')
  if (!isPostgres(to)) throw new UserError('--to names no PostgreSQL database: use postgres://user@host:5432/database')
  const address = readAddress(to)
  const { server, schema } = address
  const file = fileOf(from)
  requireThisVersion(file)
  try {
    return { file, server, schema, tables: await copyRows(file, address, start) }
  } catch (error) {
    if (error instanceof UserError) throw error
    const why = messageOf(asStorageError(error, server)).replace(/\.?$/, '.')
    throw new CopyError(
      `The copy was broken off: ${why} Nothing of it is there, or all: type the same again, which is refused if it is.`,
      { cause: error },
    )
  }
}

async function copyRows(path: string, address: Address, start: StartThread): Promise<CopyReport['tables']> {
  await migrateSchema(address)
  await using opened = new AsyncDisposableStack()
  const client = new pg.Client({ ...connectionOptions(address), query_timeout: 0 })
  client.on('error', () => {})
  opened.defer(() => client.end().catch(() => undefined))
  await client.connect()
  await lockEmptySchema(client, address)
  await takeOver(path, start)
  const { file } = opened.use(openFile(path))

  const tables: CopyReport['tables'] = []
  for (const { name, columns } of COPIED_TABLES) {
    const values = columns.map((column) => `${isBytes(column) ? `hex("${column.name}") as ` : ''}"${column.name}"`)
    const rows = file.prepare<[], Row>(`select ${values.join(', ')} from ${name}`)
    const insert = insertInto({ name, columns })
    for (const chunk of chunksOf(rows.iterate(), CHUNK, sizeOf)) await client.query(insert, [rowsOf(chunk)])
    const count = `select count(*) as n from ${name}`
    const wanted = file.prepare<[], { n: number }>(count).get()?.n ?? 0
    const copied = (await client.query<{ n: number }>(count)).rows[0]?.n ?? 0
    if (copied !== wanted) throw new Error(`PostgreSQL has ${copied} of ${wanted} rows of ${name}`)
    tables.push({ table: name, rows: copied })
  }
  await client.query(`analyze ${TABLES}`)
  // Last, as no rollback takes it back.
  for (const statement of SET_SEQUENCES) await client.query(statement)
  await client.query('commit')
  return tables
}

/** Opens it as a hub once, which completes what the last hub left: claims, keys, facts, leases. */
async function takeOver(path: string, start: StartThread): Promise<void> {
  await using storage = await openSqliteStorage({ path, sameBytesWindow: 0, allKeys: true, startThread: start })
  // Rejects where it could not be opened.
  await storage.pending()
}

/** `transaction_timeout` is PostgreSQL 17's. */
const LIMITS = `
  select set_config('lock_timeout', '3s', true);
  select set_config(name, '0', true) from pg_settings where name = 'transaction_timeout'`

/** Where a new schema has rows. */
const NEW: Record<string, string> = { customer_count: 'n <> 0', search_index: 'up_to <> 0' }

async function lockEmptySchema(client: pg.Client, address: Address): Promise<void> {
  await client.query(`begin; ${transactionSettings(address, true)}; ${LIMITS}`)
  await client.query(`lock table ${TABLES} in access exclusive mode`)
  const filled = TABLES.map(
    (name) => `select '${name}' as name where exists (select from ${name} where ${NEW[name] ?? true})`,
  )
  const { rows } = await client.query<{ name: string }>(filled.join(' union all '))
  if (rows.length > 0)
    throw new UserError(
      `The schema ${address.schema} at ${address.server} is not empty (${rows.map(({ name }) => name).join(', ')}): a store is copied into an empty one. Name another (?schema=…), or drop this one if nothing in it is needed.`,
    )
  await client.query(`truncate ${TABLES}`)
}

type Row = Record<string, string | number | null>

/** Characters of a statement, about; one row may be larger. */
const CHUNK = 256 * 1024
const NUMBER = 8

function sizeOf(row: Row): number {
  return sumOf(Object.values(row), (value) => (typeof value === 'string' ? value.length : NUMBER))
}

const isBytes = ({ type }: { type: string }) => type === 'bytea' || type === 'uuid'

/** Bytes in hex; SQLite's integers may have a fraction, which PostgreSQL rounds. */
const SENT_AS: Record<string, string> = { bytea: 'text', bigint: 'numeric', bigserial: 'numeric', integer: 'numeric' }

function insertInto({ name, columns }: CopiedTable): string {
  const names = columns.map((column) => `"${column.name}"`)
  const values = columns.map(({ type }, index) => (type === 'bytea' ? `decode(${names[index]}, 'hex')` : names[index]))
  const types = columns.map(({ type }, index) => `${names[index]} ${SENT_AS[type] ?? type}`)
  return `insert into ${name} (${names}) select ${values} from json_to_recordset($1::text::json) as r (${types})`
}

function requireThisVersion(path: string): void {
  if (!existsSync(path)) throw new UserError(`There is no ${path}.`)
  using opened = openFile(path)
  const missing = missingMigrations(opened.file)
  if (missing < 0) throw new UserError(`${path} was written by a newer Tillbridge. Copy it with that version.`)
  if (missing > 0)
    throw new UserError(
      `${path} is no store of this version of Tillbridge. Start the hub on it, which brings it up to date, stop it, and copy then.`,
    )
}

/** Keeps hubs away. For writing, but never written: a read-only connection leaves files behind. */
function openFile(path: string): Disposable & { file: Database.Database } {
  using opening = new DisposableStack()
  try {
    opening.adopt(lockOut(path), (lock) => void lock.close())
    const file = opening.adopt(new Database(path, { fileMustExist: true }), (one) => void one.close())
    file.pragma('query_only = on')
    // Fails where it is no database.
    file.pragma('schema_version')
    const opened = opening.move()
    return { file, [Symbol.dispose]: () => opened.dispose() }
  } catch (error) {
    if (!isUnavailable(error)) throw error
    throw new UserError(`The store cannot be copied: ${describeUnavailable(codeOf(error), path)}.`, { cause: error })
  }
}
