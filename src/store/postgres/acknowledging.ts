import type { Arrival } from '../arrival.ts'
import { rowsOf } from '../tables/statement.ts'
import { prepared, type Session } from './server/database.ts'


const compare = prepared<{ id: number; unchanged: boolean | null; outdated: boolean | null; untold: boolean }>(`
  select d.id, not d.force and a.digest = d.digest as unchanged, a.version > d.version or e.version > d.version as outdated,
      not d.force and a.flow is null and e.flow is null as untold
    from deliveries d
      left join acknowledged a
        on a.destination = d.destination and a.flow = d.flow and a.subject = coalesce(d.subject, d.entity)
      left join acknowledged e on e.destination = d.destination and e.flow = d.flow and e.subject = d.entity and d.subject <> d.entity
    where d.id = any($1::bigint[])`)
// Older states change nothing; of two of one subject the last counts. A subject may get another name (a customer of the
// platform becomes one of an own system): its entity keeps the version.
const put = prepared(`
  insert into acknowledged as a (destination, flow, subject, digest, version)
    select distinct on (p.destination, d.flow, s.subject) p.destination, d.flow, s.subject, s.digest, d.version
      from json_to_recordset($1::text::json) as p (id bigint, destination text) join deliveries d using (id)
        cross join lateral (
          select coalesce(d.subject, d.entity) as subject, d.digest
          union all
          select d.entity, null where d.version is not null and d.subject <> d.entity) s
      where d.digest is not null or d.version is not null
      order by p.destination, d.flow, s.subject, d.version desc nulls last, d.id desc
    on conflict (destination, flow, subject) do update
      set digest = excluded.digest, version = coalesce(excluded.version, a.version)
      where a.version is null or excluded.version is null or excluded.version >= a.version`)
const pass = prepared(`
  insert into acknowledged as a (destination, flow, subject, version)
    select p.destination, d.flow, s.subject, max(d.version)
      from json_to_recordset($1::text::json) as p (id bigint, destination text) join deliveries d using (id)
        cross join lateral (select coalesce(d.subject, d.entity) as subject union select d.entity) s
      where d.version is not null and s.subject is not null
      group by p.destination, d.flow, s.subject
      order by p.destination, d.flow, s.subject
    on conflict (destination, flow, subject) do update set version = excluded.version
      where a.version is null or excluded.version > a.version`)
const tell = prepared(`
  insert into acknowledged (destination, flow, subject, digest)
    select destination, flow, subject, digest
      from json_to_recordset($1::text::json) as t (destination text, flow text, subject text, digest text)
      order by destination, flow, subject
    on conflict (destination, flow, subject) do update set digest = excluded.digest`)
// A destination that had the same state before still has it.
const forget = prepared(`
  update acknowledged a set digest = null
    from json_to_recordset($1::text::json) as f (id bigint, destination text) join deliveries d using (id)
    where a.destination = f.destination and a.flow = d.flow and a.subject = coalesce(d.subject, d.entity)
      and (d.digest is not null or d.version is not null) and a.digest is distinct from d.digest`)

export interface Sent {
  id: number
  destination: string
}

export async function compareWithAcknowledged(session: Session, deliveries: readonly number[]) {
  if (deliveries.length === 0) return []
  const rows = await session.query(compare, [deliveries])
  return rows.map(({ id, unchanged, outdated, untold }) => ({
    id,
    unchanged: unchanged === true,
    outdated: outdated === true,
    ...(untold && { untold: true as const }),
  }))
}

export async function acknowledge(session: Session, sent: readonly Sent[]): Promise<void> {
  if (sent.length > 0) await session.query(put, [rowsOf(sent)])
}

/** Nothing was left to do: what is older is not for the destination any more. */
export async function passOver(session: Session, sent: readonly Sent[]): Promise<void> {
  if (sent.length > 0) await session.query(pass, [rowsOf(sent)])
}

export async function tellAcknowledged(
  session: Session,
  told: readonly NonNullable<Arrival['acknowledges']>[number][],
): Promise<void> {
  const last = new Map(told.map((one) => [JSON.stringify([one.destination, one.flow, one.subject]), one]))
  if (last.size > 0) await session.query(tell, [rowsOf([...last.values()])])
}

export async function forgetAcknowledged(session: Session, sent: readonly Sent[]): Promise<void> {
  if (sent.length > 0) await session.query(forget, [rowsOf(sent)])
}
