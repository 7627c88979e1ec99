import type { Audit } from '../rows.ts'
import type { RowOf } from '../schema.ts'
import { forgetAcknowledged } from '../tables/acknowledging.ts'
import { changing, copyLevels, touchDeliveries } from '../tables/audit.ts'
import { rowsOf } from '../tables/statement.ts'
import { partitionNameOf, supersedeOutdated } from './claiming/enqueuing.ts'
import {
  lockOrMakePartitions,
  partitionOf,
  partitionsOf,
  refreshPartitions,
  writeClaimsDown,
} from './claiming/partitions.ts'
import { lockDeliveries } from './claiming/settling.ts'
import { type Database, perform, prepared, type Session } from './server/database.ts'

const find = prepared<Row>(`
  select id, event_id as "eventId", flow, part, destination, urgency, entity, partition
    from deliveries where id = any($1::bigint[]) order by id`)

type Row = Pick<RowOf<'deliveries'>, 'id' | 'eventId' | 'flow' | 'part' | 'destination' | 'urgency' | 'entity'> & {
  partition: string
}

const moveThose = prepared<{ id: number }>(`
  update deliveries d set destination = $2, partition = r.partition
    from json_to_recordset($1::text::json) as r (id bigint, partition uuid)
    where d.id = r.id and d.state in ('waiting', 'claimed', 'held', 'dead') and not exists (
      select 1 from deliveries o
        where o.event_id = d.event_id and o.flow = d.flow and o.part = d.part and o.destination = $2)
      and (
        select 1 from past_deliveries p join delivery_shapes s on s.id = p.shape
          where p.event_id = d.event_id and s.flow = d.flow and s.part = d.part and s.destination = $2 limit 1) is null
    returning d.id`)
/**
 * In flight stays in flight: the new partition takes the longer lease, and no hub where they differ, so that any hub
 * expires it.
 */
const takeLeasesAlong = prepared(`
  update partitions n set lease_until = greatest(n.lease_until, o.lease_until),
      hub = case when n.lease_until is null or n.hub = o.hub then o.hub end
    from json_to_recordset($1::text::json) as m (id bigint, was uuid)
      join deliveries d on d.id = m.id and d.fence is not null
      join partitions o on o.id = m.was and o.lease_until is not null
    where n.id = d.partition`)
const freeLeft = prepared(`
  update partitions s set lease_until = null, hub = null, due_at = case when due_at is not null then greatest(due_at, now_ms()) end
    where s.id = any($1::uuid[]) and s.lease_until is not null
      and not exists (select 1 from deliveries d where d.partition = s.id and d.fence is not null)`)

export function createChanging(db: Database) {
  return {
    retry: (...given: Args<typeof retryDeliveries>) => db.transaction((session) => retryDeliveries(session, ...given)),
    skip: (...given: Args<typeof skipDeliveries>) => db.transaction((session) => skipDeliveries(session, ...given)),
    letGo: (...given: Args<typeof letDeliveriesGo>) => db.transaction((session) => letDeliveriesGo(session, ...given)),
    move: (...given: Args<typeof moveDeliveries>) => db.transaction((session) => moveDeliveries(session, ...given)),
  }
}

type Args<F> = F extends (session: Session, ...given: infer Given) => unknown ? Given : never

async function retryDeliveries(
  session: Session,
  ids: readonly number[],
  again: boolean,
  yields: boolean,
  audit: Audit,
  act: number,
): Promise<number> {
  const rows = await lockRows(session, ids)
  const wanted = rows.map(({ partition, destination, urgency }) => ({ id: partition, destination, urgency }))
  await lockOrMakePartitions(session, wanted)
  const changed = await perform(session, changing.retry(ids, again, yields, audit, act))
  await refreshPartitions(session, partitionsOf(rows))
  return changed
}

async function skipDeliveries(session: Session, ids: readonly number[], audit: Audit, act: number) {
  const rows = await lockRows(session, ids)
  await perform(session, forgetAcknowledged(rows))
  const changed = await perform(session, changing.skip(ids, audit, act))
  await supersedeOutdated(session, ids)
  await refreshPartitions(session, partitionsOf(rows))
  return changed
}

async function letDeliveriesGo(session: Session, ids: readonly number[], audit: Audit, act: number) {
  const rows = await lockRows(session, ids)
  const changed = await perform(session, changing.letGo(ids, audit, act))
  await refreshPartitions(session, partitionsOf(rows))
  return changed
}

async function moveDeliveries(session: Session, ids: readonly number[], to: string, act: number): Promise<number> {
  const rows = await lockRows(session, ids)
  await perform(session, forgetAcknowledged(rows))
  const from = rows.map(({ destination }) => destination)
  await perform(session, copyLevels(from, to))
  const moved = rows.map((row) => ({ ...row, was: row.partition, partition: partitionAt({ ...row, destination: to }) }))
  const wanted = moved.map(({ partition, urgency }) => ({ id: partition, destination: to, urgency }))
  await lockOrMakePartitions(session, wanted)
  const changed = await session.query(moveThose, [rowsOf(moved), to])
  await followMoved(session, moved)
  return await perform(session, touchDeliveries(act, idsOf(changed)))
}

function idsOf(rows: readonly { id: number }[]): number[] {
  return rows.map(({ id }) => id)
}

async function lockRows(session: Session, ids: readonly number[]): Promise<Row[]> {
  const locked = await lockDeliveries(session, ids)
  await writeClaimsDown(session, partitionsOf([...locked.values()]))
  return await session.query(find, [ids])
}

/** Without entity it gets another there: its event may enqueue the same for the old one again. */
function partitionAt(row: Row): string {
  return partitionOf(row, row.entity, partitionNameOf(row.eventId, row))
}

async function followMoved(session: Session, moved: readonly { id: number; was: string; partition: string }[]) {
  const partitions = moved.flatMap(({ was, partition }) => [was, partition])
  await refreshPartitions(session, partitions)
  const elsewhere = moved.filter(({ was, partition }) => was !== partition)
  if (elsewhere.length === 0) return
  await session.query(takeLeasesAlong, [rowsOf(elsewhere.map(({ id, was }) => ({ id, was })))])
  const left = elsewhere.map(({ was }) => was)
  await session.query(freeLeft, [left])
  await refreshPartitions(session, left)
}
