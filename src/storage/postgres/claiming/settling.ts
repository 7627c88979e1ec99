import { type Instant, SKEW } from '../../../domain/values/instant.ts'
import { type ClaimResult, isAtOnce } from '../../claim.ts'
import { acknowledge } from '../../tables/acknowledging.ts'
import { writeAttempts, writeLinks } from '../../tables/notes.ts'
import { rowsOf } from '../../tables/statement.ts'
import { deliverWhereProven, effectsOf, lockTheFacts } from '../proving.ts'
import { perform, prepared, type Session } from '../server/database.ts'
import type { InFlightClaim } from './claiming.ts'
import { supersedeOutdated } from './enqueuing.ts'
import { freePartitions, lockPartitions, partitionsOf, refreshPartitions, writeClaimsDown } from './partitions.ts'

/** The partition's fence counts for the hub with the lease. */
const find = prepared<Row>(`
  select d.id, coalesce(d.fence, case when s.hub = $2::uuid then s.fence end) as fence, d.state, d.code, d.due_at as "dueAt",
      replace(d.partition::text, '-', '') as partition,
      case when s.taken is not null then s.taken <> d.id else exists (
        select 1 from deliveries o where o.partition = d.partition and o.fence is not null and o.id <> d.id) end as shared
    from deliveries d left join lateral (select * from partitions where partitions.id = d.partition limit 1) s on true
    where d.id = any($1::bigint[])`)

interface Row {
  id: number
  fence: number | null
  state: string
  code: string | null
  dueAt: Instant
  partition: string
  shared: boolean
}

/** Results from before a clock change keep their waiting time. */
const write = prepared(`
  update deliveries d set state = r.state,
      due_at = case when r.tried_at > now_ms() + ${SKEW} then now_ms() + greatest(r.due_at - r.tried_at, 0) else r.due_at end,
      open = r.open, tries = r.tries, finds = r.finds,
      failing_since = r.failing_since, first_tried_at = coalesce(r.first_at, d.first_tried_at, r.tried_at),
      crashes = r.crashes, took_ms = r.took_ms, took_note = r.took_note,
      settled_at = case when r.state in ('waiting', 'held') then null else now_ms() end, code = r.code, why = r.why,
      fence = null
    from json_to_recordset($1::text::json) as r (id bigint, state text, due_at bigint, open boolean, tries int, finds int,
      failing_since bigint, tried_at bigint, first_at bigint, crashes int, took_ms int, took_note text, code text, why text)
    where d.id = r.id and d.id = any($2::bigint[])`)
const stillOut = prepared<{ partition: string }>(`
  select distinct replace(partition::text, '-', '') as partition from deliveries
    where partition = any($1::uuid[]) and fence is not null`)
const letGo = prepared(`update deliveries set fence = null where id = any($1::bigint[])`)
const giveBack = prepared(`
  update deliveries d set state = case when d.state = 'claimed' then 'waiting' else d.state end, fence = null,
      open = case when d.state = 'claimed' then r.open else d.open end,
      first_tried_at = case when d.state = 'claimed' then r.first_tried_at else d.first_tried_at end,
      due_at = case when d.state = 'claimed' and d.once then now_ms() else d.due_at end
    from json_to_recordset($1::text::json) as r (id bigint, open boolean, first_tried_at bigint)
    where d.id = r.id`)

export interface EndedClaim {
  result: ClaimResult
  claim: InFlightClaim
}

/**
 * Inside the caller's transaction. False: fenced off, or decided elsewhere (the attempt is still written). Delivered
 * wins over superseded; in doubt becomes delivered if proven.
 */
export async function settleAll(session: Session, hub: string, ended: readonly EndedClaim[]): Promise<boolean[]> {
  const isOpen = ({ result }: EndedClaim) => result.next.open
  await lockTheFacts(session, effectsOf(claimsOf(ended.filter(isOpen))))
  const rows = await lockDeliveries(session, idsOf(ended), partitionsOf(claimsOf(ended)), hub)
  const mine = ended.filter(({ result }) => rows.get(result.delivery)?.fence === result.fence)
  const applied = mine.filter(({ result }) => applies(rows.get(result.delivery)?.state ?? '', result))
  if (applied.length > 0) await session.query(write, [rowsOf(applied.map(rowOf)), idsOf(applied)])
  const others = mine.filter((one) => !applied.includes(one))
  if (others.length > 0) await session.query(letGo, [idsOf(others)])
  const dead = mine.filter(({ result }) => result.next.state === 'dead')
  await supersedeOutdated(session, idsOf(dead))
  const compared = mine.filter(({ claim }) => claim.digested)
  await perform(session, acknowledge(compared.map(({ result, claim }) => ({ result, destination: claim.destination }))))
  const withoutAttempt = mine.filter((one) => !applied.includes(one) || !isFirst(one))
  await perform(session, writeAttempts(withoutAttempt.map(({ result }) => result)))
  const links = mine.flatMap(({ result }) => result.links)
  await perform(session, writeLinks(links))
  const proven = await deliverWhereProven(session, claimsOf(applied.filter(isOpen)))
  const done = mine.flatMap(({ result }) => rows.get(result.delivery) ?? [])
  await freeThose(session, done)
  return ended.map((one) => {
    const { delivery } = one.result
    return (applied.includes(one) && !proven.has(delivery)) || isWritten(rows.get(delivery), one.result)
  })
}

const idsOf = (ended: readonly EndedClaim[]) => ended.map(({ result }) => result.delivery)
const claimsOf = (ended: readonly EndedClaim[]) => ended.map(({ claim }) => claim)

/** Written before; that commit's answer was lost. */
function isWritten(row: Row | undefined, { fence, next, attempt }: ClaimResult): boolean {
  if (!row || row.fence === fence) return false
  return row.state === next.state && row.code === attempt.code && row.dueAt === Math.round(next.dueAt)
}

export async function releaseAll(
  session: Session,
  hub: string,
  claims: readonly (InFlightClaim & { fence: number })[],
) {
  const isOpen = (claim: InFlightClaim) => claim.open
  await lockTheFacts(session, effectsOf(claims.filter(isOpen)))
  const ids = claims.map(({ delivery }) => delivery)
  const rows = await lockDeliveries(session, ids, partitionsOf(claims), hub)
  const mine = claims.filter(({ delivery, fence }) => rows.get(delivery)?.fence === fence)
  const before = mine.map(({ delivery: id, open, firstTriedAt }) => ({ id, open, first_tried_at: firstTriedAt }))
  await session.query(giveBack, [rowsOf(before)])
  await deliverWhereProven(session, mine.filter(isOpen))
  const done = mine.flatMap(({ delivery }) => rows.get(delivery) ?? [])
  await freeThose(session, done)
}

/** Locks partitions, then reads; repeats where one was moved in between. `hub`: whose partition fences count. */
export async function lockDeliveries(
  session: Session,
  deliveries: readonly number[],
  probably: readonly string[] = [],
  hub: string | null = null,
): Promise<Map<number, Row>> {
  const locked = new Set(probably)
  await lockPartitions(session, probably)
  for (;;) {
    const rows = await session.query(find, [deliveries, hub])
    const partitions = partitionsOf(rows)
    if (partitions.every((partition) => locked.has(partition))) return new Map(rows.map((row) => [row.id, row]))
    await lockPartitions(session, partitions)
    for (const partition of partitions) locked.add(partition)
  }
}

async function freeThose(session: Session, ended: readonly Row[]): Promise<void> {
  const shared = ended.flatMap((row) => (row.shared ? [row.partition] : []))
  await writeClaimsDown(session, shared)
  const out = shared.length === 0 ? [] : partitionsOf(await session.query(stillOut, [shared]))
  const free = ended.filter(({ partition }) => !out.includes(partition))
  await freePartitions(session, partitionsOf(free))
  await refreshPartitions(session, out)
}

function applies(state: string, { next }: ClaimResult): boolean {
  return state === 'claimed' || state === 'waiting' || (state === 'superseded' && next.state === 'delivered')
}

function isFirst({ result, claim }: EndedClaim): boolean {
  return isAtOnce(result, claim.firstTriedAt)
}

function rowOf(ended: EndedClaim) {
  const { delivery, next, attempt, crashes = 0 } = ended.result
  const { state, dueAt, open, tries, finds, failingSince, why } = next
  const times = { due_at: Math.round(dueAt), failing_since: failingSince, tried_at: attempt.at }
  const first = isFirst(ended)
    ? { first_at: attempt.at, took_ms: Math.round(attempt.ms), took_note: attempt.note }
    : { first_at: null, took_ms: null, took_note: null }
  return { id: delivery, state, open, tries, finds, crashes, ...times, ...first, code: attempt.code, why }
}
