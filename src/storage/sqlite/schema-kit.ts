import { type SQL, sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  blob,
  type IndexBuilder,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

type Columns<Name extends string> = Record<Name, AnySQLiteColumn>

/** What the engines' tables are made of; PostgreSQL's (postgres/schema.ts) is cast to the type of this one. */
export const sqliteKit = {
  ...{ table: sqliteTable, index, uniqueIndex, primaryKey, text },
  /** An index of few rows: those of a condition. */
  partialIndex: (name: string, which: SQL, ...columns: [AnySQLiteColumn, ...AnySQLiteColumn[]]): IndexBuilder =>
    index(name)
      .on(...columns)
      .where(which),
  int: (name = '') => integer(name),
  long: (name = '') => integer(name),
  flag: (name = '') => integer(name, { mode: 'boolean' }),
  bytes: (name = '') => blob(name, { mode: 'buffer' }),
  hash: () => blob({ mode: 'buffer' }),
  ids: () => integer().primaryKey(),
  monotonicIds: () => integer().primaryKey({ autoIncrement: true }),
  levelFlag: () => integer('is_level', { mode: 'boolean' }).notNull().default(false),
  attemptId: () => ({}),
  deliveryColumns: () => ({}),
  deliveryIndexes: (
    table: Columns<'destination' | 'urgency' | 'eventId' | 'id' | 'state'>,
    unsettled: SQL,
  ): IndexBuilder[] => [
    index('deliveries_unsettled')
      .on(table.destination, table.urgency, table.eventId, table.id, table.state)
      .where(unsettled),
  ],
  isTrue: (name: string): SQL => sql.raw(`${name} = 1`),
  isOfOrder: sql`entity glob 'order:*'`,
  isUndone: sql`latest_wins = 1 and state in ('waiting', 'dead', 'skipped')`,
  byPrefix: <Column extends AnySQLiteColumn>(column: Column): Column => column,
  /** At the end of an index whose entries here end in the row's id anyway. */
  behind: (_id: AnySQLiteColumn): AnySQLiteColumn[] => [],
  /** Else SQLite reads all links of a destination and kind. */
  covering: (column: AnySQLiteColumn): AnySQLiteColumn[] => [column],
}

export type SchemaKit = typeof sqliteKit
