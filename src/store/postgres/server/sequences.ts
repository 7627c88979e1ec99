import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core'
import { shared } from '../schema.ts'
import { type Database, prepared } from './database.ts'

const LAST = [
  ['event_ids', 'max(id) from events'],
  ['fences', 'max(fence) from jobs'],
  ...Object.values(shared).flatMap((table) => {
    const { name, columns } = getTableConfig(table as unknown as PgTable)
    return columns.some((column) => column.getSQLType() === 'bigserial')
      ? [[`${name}_id_seq`, `max(id) from ${name}`]]
      : []
  }),
]

export const SET_SEQUENCES = LAST.map(
  ([sequence, last]) => `
    select setval('${sequence}', last) from (select ${last}) as r (last)
      where last > coalesce(pg_sequence_last_value('${sequence}'::regclass), 0)`,
)

const statements = SET_SEQUENCES.map((text) => prepared(text))

/** Logical replication brings rows without sequences: new events would get lower ids. */
export async function letSequencesGoOn(db: Database): Promise<void> {
  for (const statement of statements) await db.query(statement)
}
