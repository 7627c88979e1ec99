import { hash } from 'node:crypto'
import type { Lane } from '../../../domain/queue/lane.ts'
import { prepared, rowsOf, type Session, textOf } from '../server/database.ts'

/*
 * A strand is one row a lane and entity with open work: what is claimed. Two rules make it safe (docs/adr/0003-strands.md):
 * whoever touches the deliveries of a strand holds the lock of its row first; and what is locked in one statement is read
 * in the next.
 */

/** The strand of a delivery. One without entity has a strand of its own, which `alone` names. */
export function strandOf({ destination, urgency }: Lane, entity: string | null, alone: string): string {
  const name = entity === null ? `alone\0${alone}` : `${urgency}\0${destination}\0${textOf(entity)}`
  return hash('sha256', name).slice(0, 32)
}

/** A strand that is to be there. */
interface WantedStrand extends Lane {
  id: string
}

const lockOrMake = prepared(`
  insert into strands (id, destination, urgency, head, size)
    select id, destination, urgency, 0, 0 from json_to_recordset($1::text::json) as s (id uuid, destination text, urgency text)
    order by id
    on conflict (id) do update set head = strands.head where false`)

const lock = prepared<{ id: string }>(`select id from strands where id = any($1::uuid[]) order by id for update`)

/**
 * Each strand gets as its head its first open delivery in the order of events; if there is none, the row goes, unless a claim
 * of it is still out. A head that waits is due since it became the head; a strand that was free and due already stays due
 * since then. It yields if its head does, and no other that does not waits behind that.
 */
const refresh = prepared(`
  with heads as materialized (
    select distinct on (d.strand) d.strand, d.id, d.destination, d.urgency, d.state, d.due_at, d.yields, e.size,
        case when d.batch is not null then d.flow || chr(31) || d.batch end as batch
      from deliveries d join events e on e.id = d.event_id
      where d.strand = any($1::uuid[]) and d.state in ('waiting', 'claimed', 'held')
      order by d.strand, d.event_id, d.id
  ), kept as (
    insert into strands as s (id, destination, urgency, head, due_at, batch, size, yields)
      select strand, destination, urgency, id, case when state <> 'held' then greatest(due_at, now_ms()) end, batch, size,
          case when yields then not exists (
            select 1 from deliveries o
              where o.strand = heads.strand and o.state in ('waiting', 'claimed', 'held') and not o.yields)
            else false end
        from heads order by strand
      on conflict (id) do update set destination = excluded.destination, urgency = excluded.urgency, head = excluded.head,
        batch = excluded.batch, size = excluded.size, yields = excluded.yields,
        due_at = case when excluded.due_at <= now_ms() and s.lease_until is null and s.due_at <= now_ms() then s.due_at
          else excluded.due_at end
  )
  delete from strands where id = any($1::uuid[]) and lease_until is null and id not in (select strand from heads)`)

/** Strands whose claims have ended are free; the next head of each becomes due only now. */
const free = prepared(`
  update strands set lease_until = null, hub = null, due_at = null where id = any($1::uuid[]) and lease_until is not null`)

/** Locks strands, and makes those that are not there, with no head yet: `refreshStrands` gives them one. */
export async function lockOrMakeStrands(session: Session, strands: readonly WantedStrand[]): Promise<void> {
  const each = new Map(strands.map((strand) => [strand.id, strand]))
  if (each.size > 0) await session.query(lockOrMake, [rowsOf([...each.values()])])
}

/** Locks those that are there. */
export async function lockStrands(session: Session, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await session.query(lock, [[...new Set(ids)]])
}

/** After anything was changed about the deliveries of strands that are locked. `freed`: those whose claims have ended. */
export async function refreshStrands(session: Session, ids: readonly string[], freed: readonly string[] = []) {
  if (freed.length > 0) await session.query(free, [freed])
  if (ids.length > 0) await session.query(refresh, [[...new Set(ids)]])
}
