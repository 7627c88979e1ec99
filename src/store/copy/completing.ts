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
