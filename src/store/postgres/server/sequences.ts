import { type Database, prepared } from './database.ts'

const LAST: Readonly<Record<string, string>> = {
  event_ids: 'max(id) from events',
  fences: 'max(fence) from jobs',
  submissions_id_seq: 'max(id) from submissions',
  deliveries_id_seq: 'max(id) from deliveries',
  delivery_shapes_id_seq: 'max(id) from delivery_shapes',
  attempts_id_seq: 'max(id) from attempts',
  audit_id_seq: 'max(id) from audit',
  job_runs_id_seq: 'max(id) from job_runs',
  customers_id_seq: 'max(id) from customers',
  lookups_id_seq: 'max(id) from lookups',
  mirror_id_seq: 'max(id) from mirror',
  findings_id_seq: 'max(id) from findings',
  gaps_id_seq: 'max(id) from gaps',
  payload_blocks_id_seq: 'max(id) from payload_blocks',
}

/** Only moves sequences that are behind. */
export const SET_SEQUENCES = Object.entries(LAST).map(
  ([sequence, last]) => `
    select setval('${sequence}', last) from (select ${last}) as r (last)
      where last > coalesce(pg_sequence_last_value('${sequence}'::regclass), 0)`,
)

const statements = SET_SEQUENCES.map((text) => prepared(text))

/** Logical replication brings rows without sequences: new events would get lower ids. */
export async function letSequencesGoOn(db: Database): Promise<void> {
  for (const statement of statements) await db.query(statement)
}
