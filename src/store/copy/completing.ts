/*
 * What follows from the rows that were copied, as statements.
 */

/**
 * Strands of the open deliveries, as `refreshStrands` of postgres/strands.ts makes them, but all in one statement: their
 * heads are due since the same instant, so that the oldest goes out first.
 */
export const MAKE_STRANDS = `
  insert into strands (id, destination, urgency, head, due_at, batch, size, yields)
    select distinct on (d.strand) d.strand, d.destination, d.urgency, d.id,
        case when d.state <> 'held' then greatest(d.due_at, now_ms()) end,
        case when d.batch is not null then d.flow || chr(31) || d.batch end, e.size,
        bool_and(d.yields) over (partition by d.strand)
      from deliveries d join events e on e.id = d.event_id
      where d.state in ('waiting', 'claimed', 'held')
      order by d.strand, d.event_id, d.id`

const LAST: Record<string, string> = {
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

/** Ids and fences go on beyond the highest that was copied. No rollback takes that back: it comes last. */
export const SET_SEQUENCES = Object.entries(LAST).map(
  ([sequence, last]) => `select setval('${sequence}', last) from (select ${last}) as t (last) where last > 0`,
)
