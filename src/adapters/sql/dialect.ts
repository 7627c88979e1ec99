import { z } from 'zod'
import type { Trouble } from './errors.ts'
import type { ColumnType, Table, Value } from './tables/columns.ts'

export interface Dialect {
  /** Where the tables are: a schema, or the database itself. */
  schema(connection: Connection): Promise<Schema>
  createTable(table: Named, schema: Schema): string[]
  addColumns(table: Named, missing: Named['columns'], schema: Schema): string[]
  catalog(connection: Connection, tables: readonly Named[], schema: Schema): Promise<Catalog>
  /** Writes rows of a table that has one a record: in place of those with the same key. */
  upsert(connection: Connection, table: Named, rows: readonly Value[][], schema: Schema): Promise<void>
  insert(connection: Connection, table: Named, rows: readonly Value[][], schema: Schema): Promise<void>
  deleteKeys(connection: Connection, table: Named, keys: readonly string[], schema: Schema): Promise<void>
  hasKey(connection: Connection, table: Named, key: string, schema: Schema): Promise<boolean>
  /** How often each of these keys is there, and the sum of an amount by it; keys that are not there are left out. */
  tally(connection: Connection, table: TalliedTable, keys: readonly string[], schema: Schema): Promise<TalliedRow[]>
  /** The types that keep all of a column of ours, as the catalogue calls them; the first is the one that we make. */
  keeps: Readonly<Record<ColumnType, readonly [string, ...string[]]>>
  isReadOnly(connection: Connection): Promise<boolean>
  mayCreate(connection: Connection, schema: Schema): Promise<boolean | null>
  troubleOf(error: unknown): Trouble
}

export interface Schema {
  name: string
  exists: boolean
}

/** A table as the database knows it: `name` has the prefix. */
export type Named = Pick<Table<unknown>, 'name' | 'hasLines' | 'columns'>

/** A table whose rows are counted. `amount`: the columns of an amount and its currency; null: it has none. */
interface TalliedTable extends Pick<Named, 'name'> {
  amount: { column: string; currency: string } | null
}

export interface TalliedRow {
  key: string
  count: number
  amount: string | null
  currency: string | null
}

export type Catalog = ReadonlyMap<string, ReadonlyMap<string, Limits>>

/** The type of a column, and what it has room for; null: there is no limit, or it is none of a text or a number. */
export interface Limits {
  type: string
  /** Null: the database finds out by itself. */
  isUnique: boolean | null
  characters: number | null
  bytes: number | null
  /** Digits before and after the point. Those after it are rounded off in silence. */
  digits: { before: number; after: number } | null
}

export interface Connection {
  query(statement: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>
  /** Whether it can be used for more. */
  readonly isOpen: boolean
  readonly longestStatement: number
  close(): Promise<void>
  /** Cuts it off; what the server is doing for it is to stop. */
  cancel(): Promise<void>
}

export type Connect = (signal: AbortSignal) => Promise<Connection>

/** Reads what columns there are, from what both kinds of database call by the same names. */
export async function readCatalog(
  connection: Connection,
  { where, values, key = 'null' }: { where: string; values: readonly unknown[]; key?: string },
): Promise<Catalog> {
  const rows = await connection.query(
    `select ${COLUMNS}, ${key} as of_key from information_schema.columns where ${where}`,
    values,
  )
  const catalog = new Map<string, Map<string, Limits>>()
  for (const row of rows) {
    const table = String(row.of_table)
    const columns = catalog.get(table) ?? new Map<string, Limits>()
    catalog.set(table, columns.set(String(row.name), limitsOf(row)))
  }
  return catalog
}

const COLUMNS = `table_name as of_table, column_name as name, data_type as type, character_maximum_length as characters,
  character_octet_length as bytes, numeric_precision as digits, numeric_scale as after_point`

function limitsOf({ type, characters, bytes, digits, after_point, of_key }: Record<string, unknown>): Limits {
  const isDecimal = /^(numeric|decimal)$/i.test(String(type)) && digits !== null && after_point !== null
  return {
    type: String(type).toLowerCase(),
    isUnique: of_key === null ? null : /^(PRI|UNI)$/.test(String(of_key)),
    characters: numberOf(characters),
    bytes: numberOf(bytes),
    digits: isDecimal ? { before: Number(digits) - Number(after_point), after: Number(after_point) } : null,
  }
}

function numberOf(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}

/** Drivers give numbers as text, or as numbers. */
const text = z.union([z.string(), z.number()]).transform(String)

const Row = z.object({
  key: text,
  count: z.coerce.number().int(),
  amount: text.nullish().transform((amount) => amount ?? null),
  currency: text.nullish().transform((currency) => currency ?? null),
})

export function talliedRow(row: unknown): z.output<typeof Row> {
  return Row.parse(row)
}
