import { ISOLATED_AT } from '../../../domain/queue/delivery.ts'
import { forgetAcknowledged } from '../acknowledging.ts'
import { deliverProven, lockTheFacts, provenFacts } from '../proving.ts'
import { type Database, prepared } from '../server/database.ts'
import { freeStrands } from './strands.ts'
import { writeClaimsDown } from './writing-down.ts'

/** Per transaction. */
const MAX_ROWS = 500

const listExpired = prepared<{ id: string; effect: string | null }>(`
  select s.id, d.effect from strands s left join deliveries d on d.strand = s.id and d.fence is not null and d.open
    where s.lease_until <= now_ms() order by s.id limit ${MAX_ROWS}`)

const lockExpired = prepared<{ id: string }>(`
  select id from strands where id = any($1::uuid[]) and lease_until <= now_ms() order by id for update skip locked`)

const takeBack = prepared<TakenBack>(`
  update deliveries set tries = tries + case when state = 'claimed' then 1 else 0 end, 
      crashes = crashes + case when crashes < ${ISOLATED_AT} then 1 else 0 end,
      due_at = case when state = 'claimed' then least(due_at, now_ms()) else due_at end,
      state = case when state = 'claimed' then 'waiting' else state end, fence = null
    where strand = any($1::uuid[]) and fence is not null
    returning id, destination, effect, open, state`)

const note = prepared(`
  insert into attempts (delivery_id, at, ms, outcome, code, note)
    select id, now_ms(), 0, 'unknown', 'lease-over', 'the hub that had it did not come back in time'
      from unnest($1::bigint[]) as d (id)`)

interface TakenBack {
  id: number
  destination: string
  effect: string | null
  open: boolean
  state: string
}

/**
 * Takes back claims of expired leases, counting an attempt (it may be what stalled the hub); they may have landed, and
 * those proven are delivered. True: there may be more.
 */
export async function expireClaims(db: Database): Promise<boolean> {
  const seen = await db.query(listExpired)
  if (seen.length === 0) return false
  await db.transaction(async (session) => {
    await lockTheFacts(
      session,
      seen.flatMap(({ effect }) => effect ?? []),
    )
    const locked = await session.query(lockExpired, [[...new Set(seen.map(({ id }) => id))]])
    const strands = locked.map(({ id }) => id)
    if (strands.length === 0) return
    await writeClaimsDown(session, strands)
    const back = await session.query(takeBack, [strands])
    await session.query(note, [back.map(({ id }) => id)])
    await forgetAcknowledged(session, back)
    const uncertain = back.filter(({ open, state }) => open && state === 'waiting')
    const proven = await provenFacts(
      session,
      uncertain.flatMap(({ effect }) => effect ?? []),
    )
    await deliverProven(
      session,
      uncertain.flatMap(({ id, effect }) => {
        const event = effect === null ? undefined : proven.get(effect)
        return event === undefined ? [] : [{ id, event }]
      }),
    )
    await freeStrands(session, strands)
  })
  return seen.length >= MAX_ROWS
}
