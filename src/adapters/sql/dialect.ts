import type { ColumnType, Table, Value } from './tables/columns.ts'
import type { Trouble } from './trouble.ts'

/** One kind of database: its statements, and its words for what goes wrong. */
export interface Dialect {
  /** Where the tables are: a schema, or the database itself. */
  schema(connection: Connection): Promise<Schema>
  createTable(table: Named, schema: Schema): string[]
  addColumns(table: Named, missing: Named['columns'], schema: Schema): string[]
  /** The catalogue of these tables, as far as they are there. */
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
  /** Whether nothing can be written now: a standby, for instance. */
  isReadOnly(connection: Connection): Promise<boolean>
  /** Whether this user may make tables there; null: that cannot be told. */
  mayCreate(connection: Connection, schema: Schema): Promise<boolean | null>
  /** The meaning of an error of the driver, or of the server. */
  troubleOf(error: unknown): Trouble
}

/** A schema; of MariaDB and MySQL the database. */
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

/** Rows of one key, as text. */
export interface TalliedRow {
  key: string
  count: number
  amount: string | null
  currency: string | null
}

/** By table, by column. */
export type Catalog = ReadonlyMap<string, ReadonlyMap<string, Limits>>

/** The type of a column, and what it has room for; null: there is no limit, or it is none of a text or a number. */
export interface Limits {
  /** As the database calls it, in small letters: `numeric`. */
  type: string
  /** Null: the database finds out by itself. */
  isUnique: boolean | null
  characters: number | null
  bytes: number | null
  /** Digits before and after the point. Those after it are rounded off in silence. */
  digits: { before: number; after: number } | null
}

/** A connection to the database, and a session of it. */
export interface Connection {
  query(statement: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>
  /** Whether it can be used for more. */
  readonly isOpen: boolean
  /** How many bytes one statement may have. */
  readonly longestStatement: number
  /** Says goodbye. */
  close(): Promise<void>
  /** Cuts it off; what the server is doing for it is to stop. */
  cancel(): Promise<void>
}

/** Opens connections. Fails with what the driver says, or the signal's reason. */
export type Connect = (signal: AbortSignal) => Promise<Connection>
