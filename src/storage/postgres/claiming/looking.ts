import { type QueueKey, queueName } from '../../../domain/queue/queue-key.ts'
import { type Instant, isInFuture } from '../../../domain/values/instant.ts'
import type { ClaimLimits } from '../../claim.ts'
import { type Database, prepared } from '../server/database.ts'
import { FREE_KINDS, lockPartitions } from './partitions.ts'

export interface Due {
  id: string
  size: number
  dueAt: Instant
  head: number
  batch: string | null
  yields: boolean
}

/*
 * Index entries stay while any snapshot sees their rows: under a long read, all claimed since would be scanned before
 * the due ones. So each look starts near the first found by the last one; a whole look now and then finds late commits
 * and clock changes.
 */

const KINDS = FREE_KINDS.map(
  ([which, alone], nth) => [which, alone, alone === 'batch is null' ? '$3' : '$4', `$${nth + 5}`] as const,
)

const kindOf = ({ yields, batch }: Due): number => (yields ? 2 : 0) + (batch === null ? 0 : 1)

const WHOLE = 2_000
const COMMIT = 1_000

const FROM_THE_FIRST = KINDS.map(() => 0)

const look = prepared<Look>(`
  select now_ms() as now,
    p.why is not null as paused, p.until as "pausedUntil",
    least(${KINDS.map(
      ([which, alone]) => `
      (select min(due_at) from partitions
        where destination = $1 and urgency = $2 and ${which} and ${alone} and lease_until is null and due_at > now_ms())`,
    )}) as "dueAt"
  from (select 1) as one
    left join pauses p on p.destination = $1 and p.urgency = $2 and (p.until is null or p.until > now_ms())`)

interface Look {
  now: Instant
  paused: boolean
  pausedUntil: Instant | null
  dueAt: Instant | null
}

const firstLease = prepared<{ end: Instant | null }>(`
  select min(lease_until) as end from partitions
    where destination = $1 and urgency = $2 and lease_until is not null and hub is distinct from $3`)
const listDue = prepared<Due>(
  KINDS.map(
    ([which, alone, most, from]) => `
  (select id, size, due_at as "dueAt", head, batch, yields from partitions
    where destination = $1 and urgency = $2 and ${which} and lease_until is null and due_at <= now_ms() and ${alone}
      and due_at >= ${from}
    order by due_at, head limit ${most})`,
  ).join(' union all'),
)
const newest = prepared<{ at: Instant }>('select received_at as at from events order by id desc limit 1')

interface Seen {
  at: Instant
  steadyAt: number
  wholeAt: Instant
  leaseEnd: Instant | null
  from: readonly Instant[]
}

export function createLooking(db: Database, hub: string, heard: (now: Instant) => void) {
  const queueKeys = new Map<string, Seen>()
  const newestAt = async (): Promise<Instant> => (await db.query(newest))[0]?.at ?? 0

  return {
    async lookAt(queueKey: QueueKey, lease: number): Promise<Look & { leaseEnd: Instant | null }> {
      const { destination, urgency } = queueKey
      const asked = performance.now()
      const [now] = await db.query(look, [destination, urgency])
      if (!now) throw new Error('The store did not answer.')
      const steadyAt = performance.now()
      heard(now.now)
      const before = queueKeys.get(queueName(queueKey))
      const { wholeAt, leaseEnd, from } = before && isFresh(before, now.now) ? before : await wholeLook(now.now)
      const expected = before ? before.at + (asked - before.steadyAt) : await newestAt()
      if (isInFuture(expected, now.now)) await goByClockNow(db, queueKey, Math.round(expected), lease)
      queueKeys.set(queueName(queueKey), { at: now.now, steadyAt, wholeAt, leaseEnd, from })
      return { ...now, leaseEnd }

      async function wholeLook(at: Instant): Promise<Pick<Seen, 'wholeAt' | 'leaseEnd' | 'from'>> {
        const [first] = await db.query(firstLease, [destination, urgency, hub])
        return { wholeAt: at, leaseEnd: first?.end ?? null, from: FROM_THE_FIRST }
      }
    },

    async listDue(queueKey: QueueKey, { calls }: ClaimLimits, most: number): Promise<Due[]> {
      const { destination, urgency } = queueKey
      const seen = queueKeys.get(queueName(queueKey))
      const due = await db.query(listDue, [destination, urgency, calls, most, ...(seen?.from ?? FROM_THE_FIRST)])
      if (seen && calls > 0) queueKeys.set(queueName(queueKey), { ...seen, from: firstOf(due, seen.at - COMMIT) })
      return due
    },
  }
}

function isFresh({ at, wholeAt, leaseEnd }: Seen, now: Instant): boolean {
  return now >= at && now - wholeAt < WHOLE && (leaseEnd === null || leaseEnd > now)
}

function firstOf(due: readonly Due[], atMost: Instant): Instant[] {
  const from = KINDS.map(() => atMost)
  for (const one of due) {
    const kind = kindOf(one)
    from[kind] = Math.min(from[kind] ?? atMost, one.dueAt)
  }
  return from
}

/* After the server's clock was set back: what was due stays due, and no lease outlasts a new one. */

const MAX_ROWS = 500
const listNotDue = prepared<{ id: string }>(
  FREE_KINDS.map(
    ([which, alone]) => `
  (select id from partitions
    where destination = $1 and urgency = $2 and ${which} and ${alone} and lease_until is null and due_at > now_ms() and due_at <= $3
    limit ${MAX_ROWS})`,
  ).join(' union all'),
)
const makeDue = prepared(`
  update partitions set due_at = now_ms()
    where id = any($1::uuid[]) and lease_until is null and due_at > now_ms() and due_at <= $2`)
const listTooLong = prepared<{ id: string }>(`
  select id from partitions
    where destination = $1 and urgency = $2 and lease_until is not null and lease_until > now_ms() + $3::bigint
    limit ${MAX_ROWS}`)
const endSooner = prepared(`
  update partitions set lease_until = now_ms() + $2::bigint
    where id = any($1::uuid[]) and lease_until > now_ms() + $2::bigint`)

async function goByClockNow(db: Database, { destination, urgency }: QueueKey, due: Instant, lease: number) {
  await changeAll(db, () => db.query(listNotDue, [destination, urgency, due]), [makeDue, due])
  await changeAll(db, () => db.query(listTooLong, [destination, urgency, lease]), [endSooner, lease])
}

async function changeAll(
  db: Database,
  list: () => Promise<{ id: string }[]>,
  [statement, given]: [typeof makeDue, number],
): Promise<void> {
  for (let ids = await list(); ids.length > 0; ids = await list()) {
    const partitions = ids.map(({ id }) => id)
    await db.transaction(async (session) => {
      await lockPartitions(session, partitions)
      await session.query(statement, [partitions, given])
    })
  }
}
