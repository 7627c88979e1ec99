import { hash } from 'node:crypto'
import type { QueueKey } from '../../../domain/queue/queue-key.ts'
import { SKEW } from '../../../domain/values/instant.ts'
import { rowsOf, textOf } from '../../tables/statement.ts'
import { prepared, type Session } from '../server/database.ts'

/*
 * A partition: one row per queue and entity with open work, the unit of claims. Lock its row before touching its
 * deliveries; read in a statement after the lock (docs/adr/0003-partitions.md).
 */

export function partitionOf({ destination, urgency }: QueueKey, entity: string | null, alone: string): string {
  const name = entity === null ? `alone\0${alone}` : `${urgency}\0${destination}\0${textOf(entity)}`
  return hash('sha256', name).slice(0, 32)
}

interface WantedPartition extends QueueKey {
  id: string
}

const lockOrMake = prepared(`
  insert into partitions (id, destination, urgency, head, size)
    select id, destination, urgency, 0, 0 from json_to_recordset($1::text::json) as s (id uuid, destination text, urgency text)
    order by id
    on conflict (id) do update set head = partitions.head where false`)

export const FREE_KINDS = [
  ['not yields', 'batch is null'],
  ['not yields', 'batch is not null'],
  ['yields', 'batch is null'],
  ['yields', 'batch is not null'],
] as const

const lock = prepared<{ id: string }>(`select id from partitions where id = any($1::uuid[]) order by id for update`)

/** Never tried and enqueued at once by a clock that was ahead: due now. */
const DUE_AT = `
  case when e.received_at > now_ms() + ${SKEW} and d.first_tried_at is null and d.due_at <= e.received_at + ${SKEW}
    then now_ms() else greatest(d.due_at, now_ms()) end as due_at`

/**
 * The head is the first open delivery in event order, due since it became head; without one the row goes. Low priority
 * only if nothing normal waits behind. `also`: further columns; `goes`: which headless rows go.
 */
const giveHeads = (also: string, goes: string) => `
  with heads as materialized (
    select distinct on (d.partition) d.partition, d.id, d.destination, d.urgency, d.state, ${DUE_AT}, d.yields, e.size,
        case when d.batch is not null then d.flow || chr(31) || d.batch end as batch
      from deliveries d join events e on e.id = d.event_id
      where d.partition = any($1::uuid[]) and d.state in ('waiting', 'claimed', 'held')
      order by d.partition, d.event_id, d.id
  ), kept as (
    insert into partitions as s (id, destination, urgency, head, due_at, batch, size, yields)
      select partition, destination, urgency, id, case when state <> 'held' then due_at end, batch, size,
          case when yields then not exists (
            select 1 from deliveries o
              where o.partition = heads.partition and o.state in ('waiting', 'claimed', 'held') and not o.yields)
            else false end
        from heads order by partition
      on conflict (id) do update set destination = excluded.destination, urgency = excluded.urgency, head = excluded.head,
        batch = excluded.batch, size = excluded.size, yields = excluded.yields, ${also}
  )
  delete from partitions where id = any($1::uuid[]) and ${goes} and id not in (select partition from heads)`

/** Free and due ones keep their due time while listed under the same kind (looking.ts); claimed ones stay. */
const refresh = prepared(
  giveHeads(
    `due_at = case when excluded.due_at <= now_ms() and s.lease_until is null and s.due_at <= now_ms()
          and (s.destination, s.yields, s.batch is null) = (excluded.destination, excluded.yields, excluded.batch is null)
          then s.due_at else excluded.due_at end`,
    'lease_until is null',
  ),
)
const free = prepared(
  giveHeads('due_at = excluded.due_at, lease_until = null, hub = null, taken = null, fence = null', 'true'),
)

export async function lockOrMakePartitions(session: Session, partitions: readonly WantedPartition[]): Promise<void> {
  const each = new Map(partitions.map((partition) => [partition.id, partition]))
  if (each.size > 0) await session.query(lockOrMake, [rowsOf([...each.values()])])
}

export async function lockPartitions(session: Session, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await session.query(lock, [[...new Set(ids)]])
}

export async function refreshPartitions(session: Session, ids: readonly string[]): Promise<void> {
  await writeClaimsDown(session, ids)
  if (ids.length > 0) await session.query(refresh, [[...new Set(ids)]])
}

export async function freePartitions(session: Session, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await session.query(free, [[...new Set(ids)]])
}

/*
 * The claim of a repeatable delivery is in its partition only, which saves a row per claim; its own row says `waiting`.
 * Changing deliveries or head of a claimed partition first writes the claim down in the delivery's row.
 */

/** Deliveries whose claims are stored so: no session asks without the partition's lock. */
export const MAY_BE_REPEATED = 'not d.once and not d.latest_wins and d.effect is null'
const findClaims = prepared<{ partition: string; id: number; fence: number }>(`
  select id as partition, taken as id, fence from partitions
    where id = any($1::uuid[]) and taken = head and fence is not null and lease_until is not null`)
const writeClaims = prepared(`
  with claims as (
    select * from json_to_recordset($1::text::json) as c (id bigint, fence bigint)
  ), cleared as (
    update partitions set taken = null, fence = null where id = any($2::uuid[])
  )
  update deliveries d set state = 'claimed', fence = c.fence from claims c
    where d.id = c.id and d.id = any($3::bigint[]) and d.state = 'waiting'`)

export async function writeClaimsDown(session: Session, partitions: readonly string[]): Promise<void> {
  if (partitions.length === 0) return
  const claims = await session.query(findClaims, [[...new Set(partitions)]])
  if (claims.length === 0) return
  const [theirs, ids] = [claims.map(({ partition }) => partition), claims.map(({ id }) => id)]
  await session.query(writeClaims, [rowsOf(claims), theirs, ids])
}

export const partitionsOf = (those: readonly { partition: string }[]) => those.map(({ partition }) => partition)
