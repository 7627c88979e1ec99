import { HELD_AT, ISOLATED_AT } from '../../../domain/queue/delivery.ts'
import { type QueueKey, queueName } from '../../../domain/queue/queue-key.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { ClaimResult } from '../../claim.ts'
import type { Storage } from '../../storage.ts'
import { forgetAcknowledged } from '../../tables/acknowledging.ts'
import { deliverWhereProven, effectsOf, lockTheFacts } from '../proving.ts'
import { type Database, perform, prepared } from '../server/database.ts'
import { type Claiming, claimQueue, type HubClaims } from './claiming.ts'
import { createLooking } from './looking.ts'
import { freePartitions, writeClaimsDown } from './partitions.ts'
import { type EndedClaim, releaseAll, settleAll } from './settling.ts'

interface Options {
  db: Database
  hub: string
  wake(queueKeys: readonly QueueKey[]): void
  tell(queueKeys: readonly QueueKey[]): Promise<void>
  heard(now: Instant): void
}

const markIsolated = prepared(`
  update deliveries set crashes = crashes + case when id = $1::bigint then 1 else -1 end
    where id = any($2::bigint[]) and (id = $1::bigint or crashes = ${HELD_AT})`)

export function createWorking({
  db,
  hub,
  wake,
  tell,
  heard,
}: Options): Pick<Storage, 'claim' | 'settle' | 'returnClaims' | 'markIsolated'> {
  const its: HubClaims = { out: new Map(), unanswered: new Map() }
  const { out, unanswered } = its
  const claiming: Claiming = { db, hub, looking: createLooking(db, hub, heard), its }

  function takeOut(results: readonly ClaimResult[]): EndedClaim[] {
    return results.flatMap((result) => {
      const claim = out.get(result.fence)
      if (!claim || claim.delivery !== result.delivery) return []
      out.delete(result.fence)
      return [{ result, claim }]
    })
  }

  async function giveBack(fences: readonly number[], among: HubClaims['out']): Promise<void> {
    const claims = fences.flatMap((fence) => {
      const claim = among.get(fence)
      return claim ? [{ ...claim, fence }] : []
    })
    if (claims.length === 0) return
    await db.transaction((session) => releaseAll(session, hub, claims))
    for (const { fence } of claims) among.delete(fence)
    const queueKeys = queuesOf(claims)
    wake(queueKeys)
    await tell(queueKeys)
  }

  return {
    async claim(queueKey, room, lease) {
      // A hub does not expire its own leases: unanswered claims must be released.
      await giveBack([...unanswered.keys()], unanswered)
      const { expired, ...claims } = await claimQueue(claiming, queueKey, room, lease)
      if (!expired) return claims
      while (await expireClaims(db)) {}
      if (claims.calls.length > 0) return claims
      const { expired: _another, ...again } = await claimQueue(claiming, queueKey, room, lease)
      return again
    },

    async settle(results) {
      const ended = takeOut(results)
      if (ended.length === 0) return results.map(() => false)
      try {
        const applied = await db.transaction((session) => settleAll(session, hub, ended))
        const well = new Set(ended.filter((_, index) => applied[index]).map(({ result }) => result))
        wake(queuesOf(ended.map(({ claim }) => claim)))
        return results.map((result) => well.delete(result))
      } catch (error) {
        for (const { result, claim } of ended) out.set(result.fence, claim)
        throw error
      }
    },

    returnClaims: (fences) => giveBack(fences, out),
    async markIsolated(delivery, harmlessBefore) {
      const both = harmlessBefore === null ? [delivery] : [delivery, harmlessBefore]
      await db.query(markIsolated, [delivery, both])
    },
  }
}

export function queuesOf(those: readonly QueueKey[]): QueueKey[] {
  const queueKeys = those.map(({ destination, urgency }) => ({ destination, urgency }))
  return [...new Map(queueKeys.map((queueKey) => [queueName(queueKey), queueKey])).values()]
}

const MAX_ROWS = 500
const listExpired = prepared<{ id: string; effect: string | null }>(`
  select s.id, d.effect from partitions s left join deliveries d on d.partition = s.id and d.fence is not null and d.open
    where s.lease_until <= now_ms() order by s.id limit ${MAX_ROWS}`)
const lockExpired = prepared<{ id: string }>(`
  select id from partitions where id = any($1::uuid[]) and lease_until <= now_ms() order by id for update skip locked`)
const takeBack = prepared<TakenBack>(`
  update deliveries set tries = tries + case when state = 'claimed' then 1 else 0 end, 
      crashes = crashes + case when crashes < ${ISOLATED_AT} then 1 else 0 end,
      due_at = case when state = 'claimed' then least(due_at, now_ms()) else due_at end,
      state = case when state = 'claimed' then 'waiting' else state end, fence = null
    where partition = any($1::uuid[]) and fence is not null
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
async function expireClaims(db: Database): Promise<boolean> {
  const seen = await db.query(listExpired)
  if (seen.length === 0) return false
  await db.transaction(async (session) => {
    await lockTheFacts(session, effectsOf(seen))
    const locked = await session.query(lockExpired, [[...new Set(seen.map(({ id }) => id))]])
    const partitions = locked.map(({ id }) => id)
    if (partitions.length === 0) return
    await writeClaimsDown(session, partitions)
    const back = await session.query(takeBack, [partitions])
    await session.query(note, [back.map(({ id }) => id)])
    await perform(session, forgetAcknowledged(back))
    const uncertain = back.flatMap(({ id, effect, open, state }) =>
      open && state === 'waiting' ? [{ delivery: id, effect }] : [],
    )
    await deliverWhereProven(session, uncertain)
    await freePartitions(session, partitions)
  })
  return seen.length >= MAX_ROWS
}
