import { HELD_AT } from '../../../domain/queue/delivery.ts'
import type { Lane } from '../../../domain/queue/lane.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { ClaimResult } from '../../claim.ts'
import type { Store } from '../../store.ts'
import { type Database, prepared } from '../server/database.ts'
import { type Claiming, claimLane, type HubClaims } from './claiming.ts'
import { expireClaims } from './expiring.ts'
import { lanesOf } from './lanes.ts'
import { createLooking } from './looking.ts'
import { type EndedClaim, releaseAll, settleAll } from './settling.ts'

interface Options {
  db: Database
  hub: string
  /** This hub's workers. */
  wake(lanes: readonly Lane[]): void
  /** Every hub. */
  tell(lanes: readonly Lane[]): Promise<void>
  /** Server time. */
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
}: Options): Pick<Store, 'claim' | 'settle' | 'returnClaims' | 'markIsolated'> {
  const its: HubClaims = { out: new Map(), unanswered: new Map() }
  const { out, unanswered } = its
  const claiming: Claiming = { db, hub, looking: createLooking(db, hub, heard), its }

  /** Unknown fences are left out. */
  function takeOut(results: readonly ClaimResult[]): EndedClaim[] {
    return results.flatMap((result) => {
      const claim = out.get(result.fence)
      if (!claim || claim.delivery !== result.delivery) return []
      out.delete(result.fence)
      return [{ result, claim }]
    })
  }

  /** Those fenced off are left out. */
  async function giveBack(fences: readonly number[], among: HubClaims['out']): Promise<void> {
    const claims = fences.flatMap((fence) => {
      const claim = among.get(fence)
      return claim ? [{ ...claim, fence }] : []
    })
    if (claims.length === 0) return
    await db.transaction((session) => releaseAll(session, hub, claims))
    for (const { fence } of claims) among.delete(fence)
    const lanes = lanesOf(claims)
    wake(lanes)
    await tell(lanes)
  }

  return {
    async claim(lane, room, lease) {
      // A hub does not expire its own leases: unanswered claims must be released.
      await giveBack([...unanswered.keys()], unanswered)
      const { expired, ...claims } = await claimLane(claiming, lane, room, lease)
      if (!expired) return claims
      while (await expireClaims(db)) {}
      if (claims.calls.length > 0) return claims
      const { expired: _another, ...again } = await claimLane(claiming, lane, room, lease)
      return again
    },

    async settle(results) {
      const ended = takeOut(results)
      if (ended.length === 0) return results.map(() => false)
      try {
        const applied = await db.transaction((session) => settleAll(session, hub, ended))
        const well = new Set(ended.filter((_, index) => applied[index]).map(({ result }) => result))
        wake(lanesOf(ended.map(({ claim }) => claim)))
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
