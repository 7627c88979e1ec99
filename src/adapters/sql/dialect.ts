import type { Trouble } from './outcome.ts'
import type { Table, Value } from './tables.ts'

export interface Dialect {
  schema(connection: Connection): Promise<Schema>
  createTable(table: Named, schema: Schema): string[]
  addColumns(table: Named, missing: Named['columns'], schema: Schema): string[]
  catalog(connection: Connection, tables: readonly Named[], schema: Schema): Promise<Catalog>
  /** For tables with a row a record: replaces rows with the same key. */
  upsert(connection: Connection, table: Named, rows: readonly Value[][], schema: Schema): Promise<void>
  insert(connection: Connection, table: Named, rows: readonly Value[][], schema: Schema): Promise<void>
  deleteKeys(connection: Connection, table: Named, keys: readonly string[], schema: Schema): Promise<void>
  hasKey(connection: Connection, table: Named, key: string, schema: Schema): Promise<boolean>
  /** Missing keys are left out. */
  tally(connection: Connection, table: TalliedTable, keys: readonly string[], schema: Schema): Promise<TalliedRow[]>
  troubleOf(error: unknown): Trouble
}

/** PostgreSQL: a schema; MySQL: the database. */
export interface Schema {
  name: string
  exists: boolean
}

/** `name` has the prefix. */
export type Named = Pick<Table, 'name' | 'hasLines' | 'columns'>

interface TalliedTable extends Pick<Named, 'name'> {
  /** Null: no amount. */
  amountColumn: string | null
}

export interface TalliedRow {
  key: string
  count: number
  amount: string | null
  currency: string | null
}

/** Columns by table. */
export type Catalog = ReadonlyMap<string, ReadonlyMap<string, Limits>>

/** Null: no limit, or not of this type. */
export interface Limits {
  /** Null: the database checks it. */
  isUnique: boolean | null
  characters: number | null
  bytes: number | null
  /** Databases round off digits after the point without an error. */
  digits: { before: number; after: number } | null
}

export interface Connection {
  query(statement: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>
  readonly isOpen: boolean
  readonly longestStatement: number
  close(): Promise<void>
  /** Closes the socket, and has the server stop. */
  cancel(): Promise<void>
}

export type Connect = (signal: AbortSignal) => Promise<Connection>

export async function readCatalog(
  connection: Connection,
  { where, values, key = 'null' }: { where: string; values: readonly unknown[]; key?: string },
): Promise<Catalog> {
  const rows = await connection.query(
    `select ${COLUMNS}, ${key} as of_key from information_schema.columns where ${where}`,
    values,
  )
  const byTable = Map.groupBy(rows, ({ of_table }) => String(of_table))
  return new Map(
    [...byTable].map(([table, columns]) => [table, new Map(columns.map((row) => [String(row.name), limitsOf(row)]))]),
  )
}

const COLUMNS = `table_name as of_table, column_name as name, data_type as type, character_maximum_length as characters,
  character_octet_length as bytes, numeric_precision as digits, numeric_scale as after_point`

function limitsOf({ type, characters, bytes, digits, after_point, of_key }: Record<string, unknown>): Limits {
  const isDecimal = /^(numeric|decimal)$/i.test(String(type)) && digits !== null && after_point !== null
  return {
    isUnique: of_key === null ? null : /^(PRI|UNI)$/.test(String(of_key)),
    characters: numberOf(characters),
    bytes: numberOf(bytes),
    digits: isDecimal ? { before: Number(digits) - Number(after_point), after: Number(after_point) } : null,
  }
}

function numberOf(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}

/** Drivers give numbers as text or as numbers. */
export function talliedRow({ key, count, amount, currency }: Record<string, unknown>): TalliedRow {
  const text = (value: unknown) => (value === null || value === undefined ? null : String(value))
  return { key: String(key), count: Number(count), amount: text(amount), currency: text(currency) }
}
