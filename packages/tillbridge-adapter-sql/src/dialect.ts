import { setTimeout as delay } from 'node:timers/promises'
import type { PooledConnection } from 'tillbridge/adapter'
import { createSocket, type SqlAddress, type SqlSocket } from './address.ts'
import type { Fault } from './outcome.ts'
import type { ColumnType, Table, Value } from './tables.ts'

/** PostgreSQL: a schema; MySQL: the database. */
export interface Schema {
  name: string
  exists: boolean
}

export type Named = Pick<Table, 'name' | 'hasLines' | 'columns'>

export interface Flavour {
  schema(connection: Connection): Promise<Schema>
  quote(name: string): string
  tableAt(schema: Schema, name: string): string
  types: Readonly<Record<ColumnType, string>>
  bookedAt: string
  addColumn: string
  tableEnd: string
  /** A condition on the first or second parameter. */
  among: readonly [first: string, second: string]
  schemaIs: string
  /** Catalogue column that tells uniqueness; `null`: the database insists on it. */
  keyColumn: string
  onSameKey(columns: readonly string[]): string
  write(connection: Connection, table: Named, at: string, rows: readonly Value[][], end: string): Promise<void>
  faultOf(error: unknown): Fault
}

export type Dialect = ReturnType<typeof createDialect>

export function createDialect(flavour: Flavour) {
  const { quote, tableAt, types, among, schemaIs, keyColumn } = flavour
  const key = quote('booking_key')

  return {
    schema: flavour.schema,
    faultOf: flavour.faultOf,

    createTable({ name, hasLines, columns }: Named, schema: Schema): string[] {
      const lines = [
        ...columns.map(({ name, type }) => `${quote(name)} ${types[type]}${isOfKey(type) ? ' not null' : ''}`),
        `${quote('booked_at')} ${flavour.bookedAt}`,
        `primary key (${key}${hasLines ? `, ${quote('line_no')}` : ''})`,
      ]
      const create = `create table if not exists ${tableAt(schema, name)} (${lines.join(', ')})${flavour.tableEnd}`
      return schema.exists ? [create] : [`create schema if not exists ${quote(schema.name)}`, create]
    },

    addColumns({ name }: Named, missing: Named['columns'], schema: Schema): string[] {
      const added = missing.map(({ name, type }) => `${flavour.addColumn} ${quote(name)} ${types[type]}`)
      return [`alter table ${tableAt(schema, name)} ${added.join(', ')}`]
    },

    async catalog(connection: Connection, tables: readonly Named[], schema: Schema): Promise<Catalog> {
      const rows = await connection.query(
        `select ${COLUMNS}, ${keyColumn} as of_key from information_schema.columns where ${schemaIs} and table_name ${among[1]}`,
        [schema.name, tables.map(({ name }) => name)],
      )
      const byTable = Map.groupBy(rows, ({ of_table }) => String(of_table))
      return new Map(
        [...byTable].map(([table, columns]) => [
          table,
          new Map(columns.map((row) => [String(row.name), limitsOf(row)])),
        ]),
      )
    },

    /** For head tables: replaces rows with the same key. */
    async upsert(connection: Connection, table: Named, rows: readonly Value[][], schema: Schema): Promise<void> {
      const end = flavour.onSameKey([...table.columns.map(({ name }) => name), 'booked_at'])
      await flavour.write(connection, table, tableAt(schema, table.name), rows, end)
    },

    async insert(connection: Connection, table: Named, rows: readonly Value[][], schema: Schema): Promise<void> {
      await flavour.write(connection, table, tableAt(schema, table.name), rows, '')
    },

    async deleteKeys(connection: Connection, { name }: Named, keys: readonly string[], schema: Schema): Promise<void> {
      await connection.query(`delete from ${tableAt(schema, name)} where ${key} ${among[0]}`, [keys])
    },

    async reconcile(
      connection: Connection,
      { name, amountColumn }: ReconciledTable,
      keys: readonly string[],
      schema: Schema,
    ): Promise<ReconciledRow[]> {
      const sums = amountColumn ? `, sum(${quote(amountColumn)}) as amount, max(${quote('currency')}) as currency` : ''
      const rows = await connection.query(
        `select ${key} as of_key, count(*) as of_count${sums} from ${tableAt(schema, name)} where ${key} ${among[0]} group by ${key}`,
        [keys],
      )
      return rows.map(talliedRow)
    },
  }
}

function isOfKey(type: ColumnType): boolean {
  return type === 'key' || type === 'number'
}

interface ReconciledTable extends Pick<Named, 'name'> {
  amountColumn: string | null
}

export interface ReconciledRow {
  key: string
  count: number
  amount: string | null
  currency: string | null
}

export type Catalog = ReadonlyMap<string, ReadonlyMap<string, Limits>>

interface Limits {
  isUnique: boolean | null
  /** Databases round digits after the point silently. */
  digits: { before: number; after: number } | null
}

export interface Connection extends PooledConnection {
  query(statement: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>
  readonly longestStatement: number
}

export type Connect = (signal: AbortSignal) => Promise<Connection>

interface Driver extends Pick<Connection, 'query'> {
  /** Connects, sets the session up, and tells the longest statement. */
  start(): Promise<number>
  end(): Promise<void>
}

const GOODBYE = 1_000

/** A driver over a socket of ours, which is cut at once. */
export function connectOver(address: SqlAddress, open: (socket: SqlSocket) => Driver): Connect {
  return async (signal) => {
    signal.throwIfAborted()
    const socket = createSocket(address)
    const destroy = () => socket.destroy()
    const driver = open(socket)
    signal.addEventListener('abort', destroy, { once: true })
    try {
      const longestStatement = await driver.start()
      return {
        get isOpen() {
          return !socket.destroyed
        },
        longestStatement,
        query: driver.query,
        async close() {
          await Promise.race([driver.end().catch(() => undefined), delay(GOODBYE)])
          destroy()
        },
        destroy,
      }
    } catch (error) {
      destroy()
      throw error
    } finally {
      signal.removeEventListener('abort', destroy)
    }
  }
}

const COLUMNS = `table_name as of_table, column_name as name, data_type as type,
  numeric_precision as digits, numeric_scale as after_point`

function limitsOf({ type, digits, after_point, of_key }: Record<string, unknown>): Limits {
  const isDecimal = /^(numeric|decimal)$/i.test(String(type)) && digits !== null && after_point !== null
  return {
    isUnique: of_key === null ? null : /^(PRI|UNI)$/.test(String(of_key)),
    digits: isDecimal ? { before: Number(digits) - Number(after_point), after: Number(after_point) } : null,
  }
}

function talliedRow({ of_key, of_count, amount, currency }: Record<string, unknown>): ReconciledRow {
  const text = (value: unknown) => (value === null || value === undefined ? null : String(value))
  return { key: String(of_key), count: Number(of_count), amount: text(amount), currency: text(currency) }
}
