import type { QueueKey, Urgency } from '../../../domain/queue/queue-key.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import { CLAIMED_COLUMNS, type Claim, type ClaimedRow, type ClaimLimits, type Claims, claimedOf } from '../../claim.ts'
import { compareWithAcknowledged } from '../../tables/acknowledging.ts'
import { payloadsOf } from '../../tables/payloads.ts'
import { provenFacts } from '../proving.ts'
import { type Database, perform, prepared, type Session } from '../server/database.ts'
import type { createLooking, Due } from './looking.ts'
import { freePartitions, MAY_BE_REPEATED } from './partitions.ts'

/**
 * Skips partitions that another hub holds or that have another head by now. Ids as an array: joined with rows alone, all
 * partitions would be read. A fence is drawn where only the partition stores it.
 */
const lease = prepared<Leased>(`
  with free as materialized (
    select id, head from partitions
      where id = any($1::uuid[]) and head = any($2::bigint[]) and lease_until is null and due_at <= now_ms()
      order by id for update skip locked
  ), kept as materialized (
    select free.id, d.id as taken, case when d.id is not null then nextval('fences') end as fence
      from free left join lateral (
        select d.id from deliveries d where d.id = free.head and ${MAY_BE_REPEATED} and d.fence is null limit 1) d on true
  )
  update partitions s set lease_until = now_ms() + $3::bigint, hub = $4, taken = kept.taken, fence = kept.fence
    from kept where s.id = kept.id and s.id = any($1::uuid[])
    returning s.id, s.head, s.fence`)

interface Leased {
  id: string
  head: number
  fence: number | null
}

/** `once` ones are in doubt from now on; returned as before, since a statement does not see its own writes. */
const mark = prepared<TakenRow>(`
  with written as (
    update deliveries d set state = 'claimed', fence = nextval('fences'), open = d.open or d.once,
        due_at = case when d.once then now_ms() + $2::bigint else d.due_at end,
        first_tried_at = case when d.once then coalesce(d.first_tried_at, now_ms()) else d.first_tried_at end
      where d.id = any($1::bigint[]) and d.state = 'waiting'
      returning d.id, d.fence
  ), taken as (
    select id, fence, true as written from written
    union all select id, fence, false from unnest($3::bigint[], $4::bigint[]) as kept (id, fence)
  )
  select ${CLAIMED_COLUMNS}, t.fence, replace(d.partition::text, '-', '') as partition, d.unless,
      coalesce(d.digest is not null or d.version is not null, false) as digested, p.body
    from taken t
      cross join lateral (select * from deliveries where deliveries.id = t.id limit 1) d
      cross join lateral (select * from events where events.id = d.event_id limit 1) e
      left join lateral (select body from payloads where payloads.event_id = d.event_id limit 1) p on true
    where d.state = 'waiting' and (t.written or d.fence is null)`)

interface TakenRow extends ClaimedRow {
  fence: number
  partition: string
  unless: string | null
  digested: boolean
  open: boolean
  body: Uint8Array | null
}

export interface InFlightClaim {
  delivery: number
  partition: string
  destination: string
  urgency: Urgency
  effect: string | null
  digested: boolean
  open: boolean
  firstTriedAt: Instant | null
}

export interface HubClaims {
  out: Map<number, InFlightClaim>
  unanswered: Map<number, InFlightClaim>
}

export interface Claiming {
  db: Database
  hub: string
  looking: ReturnType<typeof createLooking>
  its: HubClaims
}

export async function claimQueue(
  { db, hub, looking, its }: Claiming,
  queueKey: QueueKey,
  room: ClaimLimits,
  leaseFor: number,
): Promise<Claims & { expired: boolean }> {
  const now = await looking.lookAt(queueKey, leaseFor)
  const expired = now.leaseEnd !== null && now.leaseEnd <= now.now
  if (now.paused) return { calls: [], wakeAt: now.pausedUntil, expired }
  const most = 2 * room.batch.items
  const due = await looking.listDue(queueKey, room, most)
  const chosen = chooseCalls(due, most, room, now.now)
  const calls = chosen.calls.length === 0 ? [] : await takeCalls(db, hub, chosen.calls, leaseFor, its)
  const times = [now.dueAt, expired ? null : now.leaseEnd, chosen.nextAt].filter((at) => at !== null)
  const { yieldingLeft } = chosen
  return {
    calls,
    wakeAt: times.length === 0 ? null : Math.min(...times),
    ...(yieldingLeft && { yieldingLeft }),
    expired,
  }
}

async function takeCalls(
  db: Database,
  hub: string,
  calls: readonly Due[][],
  leaseFor: number,
  { out, unanswered }: HubClaims,
): Promise<Claim[][]> {
  let taken: { row: TakenRow; comparisons: Comparison }[] = []
  const take = async (session: Session) => {
    taken = []
    const wanted = calls.flat()
    const heads = wanted.map(({ head }) => head)
    const leased = await session.query(lease, [wanted.map(({ id }) => id), heads, leaseFor, hub])
    if (leased.length === 0) return
    const kept = leased.filter(({ fence }) => fence !== null)
    const written = leased.filter(({ fence }) => fence === null).map(({ head }) => head)
    const rows = await session.query(mark, [
      ...[written, leaseFor],
      ...[kept.map(({ head }) => head), kept.map(({ fence }) => fence)],
    ])
    // The row disagrees with its partition: repair the partition.
    const untaken = leased.filter(({ head }) => !rows.some(({ id }) => id === head)).map(({ id }) => id)
    if (untaken.length > 0) await freePartitions(session, untaken)
    taken = await withWhatIsKnown(session, await withBodies(session, rows))
  }
  try {
    await db.transaction(take)
  } catch (error) {
    for (const { row } of taken) unanswered.set(row.fence, outOf(row))
    throw error
  }
  const claims = new Map(taken.map(({ row, comparisons }) => [row.id, claimOf(row, comparisons)]))
  for (const { row } of taken) out.set(row.fence, outOf(row))
  const inCalls = calls.map((call) => call.flatMap(({ head }) => claims.get(head) ?? []))
  return inCalls.filter((call) => call.length > 0)
}

async function withBodies(session: Session, rows: readonly TakenRow[]): Promise<TakenRow[]> {
  const bare = rows.flatMap((row) => (row.body === null ? [row['event.id']] : []))
  const packed = await perform(session, payloadsOf(bare))
  return rows.map((row) => ({ ...row, body: row.body ?? packed.get(row['event.id'])?.body ?? null }))
}

type Comparison = Pick<Claim, 'unchanged' | 'stale' | 'unacknowledged' | 'invalidated'>
const NOTHING: Comparison = { unchanged: false, stale: false, invalidated: null }

async function withWhatIsKnown(
  session: Session,
  rows: readonly TakenRow[],
): Promise<{ row: TakenRow; comparisons: Comparison }[]> {
  const digested = rows.filter((row) => row.digested).map(({ id }) => id)
  const compared = await perform(session, compareWithAcknowledged(digested))
  const guards = new Map(rows.flatMap(({ id, unless }) => (unless ? [[id, JSON.parse(unless) as string[]]] : [])))
  const proven = guards.size === 0 ? null : await provenFacts(session, [...new Set([...guards.values()].flat())])
  return rows.map((row) => {
    const fact = guards.get(row.id)?.find((one) => proven?.has(one))
    const invalidated = fact === undefined ? null : (proven?.get(fact) ?? null)
    return { row, comparisons: { ...NOTHING, ...compared.get(row.id), invalidated } }
  })
}

function claimOf(row: TakenRow, comparisons: Comparison): Claim {
  const { delivery, event } = claimedOf(row)
  return { fence: row.fence, delivery, event: { ...event, body: row.body ?? new Uint8Array() }, ...comparisons }
}

function outOf({ id, partition, destination, urgency, effect, digested, open, firstTriedAt }: TakenRow): InFlightClaim {
  return { delivery: id, partition, destination, urgency, effect, digested, open, firstTriedAt }
}

interface Chosen {
  calls: Due[][]
  nextAt: Instant | null
  yieldingLeft: boolean
}

const MAX_LINGERS = 10

/**
 * Calls to begin now, at least one, oldest first and low priority last. `due` is sorted; with `cutAt` batched ones
 * there are more.
 */
function chooseCalls(due: readonly Due[], cutAt: number, room: ClaimLimits, now: Instant): Chosen {
  const { calls: most, yielding, bytes } = room
  const calls: Due[][] = []
  const gathering: Instant[] = []
  let size = 0
  let yieldingLeft = false
  for (const call of inOrder(due, cutAt, room, now, gathering)) {
    if (calls.length >= most) break
    yieldingLeft = call[0]?.yields === true && calls.length >= yielding
    if (yieldingLeft) break
    for (const one of call) size += one.size
    if (calls.length > 0 && size > bytes) break
    calls.push(call)
  }
  return { calls, nextAt: gathering.length === 0 ? null : Math.min(...gathering), yieldingLeft }
}

function inOrder(
  due: readonly Due[],
  cutAt: number,
  { batch, ignorePriority }: ClaimLimits,
  now: Instant,
  gathering: Instant[],
): Due[][] {
  const fresh = due.filter(({ yields }) => !yields)
  const yielding = due.filter(({ yields }) => yields)
  const calls = [fresh, yielding].flatMap((alike) => oldestFirst(callsOf(alike, cutAt, batch, now, gathering)))
  return ignorePriority ? oldestFirst(calls) : calls
}

function oldestFirst(calls: Due[][]): Due[][] {
  return calls.sort(([a], [b]) => (a && b ? a.dueAt - b.dueAt || a.head - b.head : 0))
}

function callsOf(
  due: readonly Due[],
  cutAt: number,
  most: ClaimLimits['batch'],
  now: Instant,
  gathering: Instant[],
): Due[][] {
  const calls = due.filter(({ batch }) => batch === null).map((one) => [one])
  const batched = due.filter(({ batch }) => batch !== null)
  const cut = batched.length === cutAt
  for (const batch of Map.groupBy(batched, (one) => one.batch).values()) {
    const slices = sliced(batch, most)
    const last = slices.at(-1) ?? []
    if (!cut && !isFull(last, most)) {
      const goesAt = Math.min(latest(last) + most.linger, oldest(last) + MAX_LINGERS * most.linger)
      if (goesAt > now) {
        slices.pop()
        gathering.push(goesAt)
      }
    }
    calls.push(...slices)
  }
  return calls
}

function sliced(batch: readonly Due[], most: ClaimLimits['batch']): Due[][] {
  const slices: Due[][] = []
  let size = 0
  for (const one of batch) {
    const slice = slices.at(-1)
    if (slice && slice.length < most.items && size + one.size <= most.bytes) {
      slice.push(one)
      size += one.size
    } else {
      slices.push([one])
      size = one.size
    }
  }
  return slices
}

function isFull(slice: readonly Due[], { items, bytes }: ClaimLimits['batch']): boolean {
  return slice.length >= items || slice.reduce((sum, { size }) => sum + size, 0) >= bytes
}

function latest(slice: readonly Due[]): Instant {
  return Math.max(...slice.map(({ dueAt }) => dueAt))
}

function oldest(slice: readonly Due[]): Instant {
  return Math.min(...slice.map(({ dueAt }) => dueAt))
}
