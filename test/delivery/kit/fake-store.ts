import type { Lane, Urgency } from '../../../src/domain/queue/lane.ts'
import type { Claim, ClaimResult, Claims, Room } from '../../../src/store/claim.ts'
import type { Store } from '../../../src/store/store.ts'
import { claimOf } from './parts.ts'

/** A store whose lanes are lists, for tests of the worker alone: it hands out what is in them, and keeps what it is told. */
export function createFakeStore() {
  const claims: { lane: Lane; room: Room; lease: number }[] = []
  const results: ClaimResult[] = []
  const returned: number[] = []
  const due: Record<Urgency, Claim[][]> = { prompt: [], bulk: [] }
  let lastId = 0
  let listener: (lanes: readonly Lane[]) => void = () => {}
  const fake = {
    claims,
    results,
    returned,
    wakeAt: { prompt: null, bulk: null } as Record<Urgency, number | null>,
    yieldingLeft: false,
    failing: [] as Error[],
    notTaking: [] as Error[],
    claimAfter: Promise.resolve(),
    writeAfter: Promise.resolve(),
    isListening: true,
    /** Calls that have been claimed so far, lane by lane. */
    claimed: () => claims.map(({ lane, room }) => `${lane.urgency} ${room.calls}`),

    /** Owes so many calls of one delivery each, or one call of several. */
    owe(urgency: Urgency, calls: number, together = 1, failingSince: number | null = null) {
      for (let no = 0; no < calls; no += 1)
        due[urgency].push(
          Array.from({ length: together }, () => {
            lastId += 1
            return claimOf({ id: lastId, urgency, failingSince })
          }),
        )
    },
    tell(urgency: Urgency, destination = 'bus') {
      listener([{ destination, urgency }])
    },
    async claim(lane: Lane, room: Room, lease: number): Promise<Claims> {
      claims.push({ lane, room, lease })
      const error = fake.failing.shift()
      if (error) throw error
      const calls = lane.destination === 'bus' ? due[lane.urgency].splice(0, room.calls) : []
      await fake.claimAfter
      return { calls, wakeAt: fake.wakeAt[lane.urgency], ...(fake.yieldingLeft && { yieldingLeft: true as const }) }
    },
    async settle(given: ClaimResult[]) {
      await fake.writeAfter
      results.push(...given)
      return given.map(() => true)
    },
    async returnClaims(fences: number[]) {
      const error = fake.notTaking.shift()
      if (error) throw error
      returned.push(...fences)
    },
    onWork(given: typeof listener) {
      listener = given
      return () => {
        listener = () => {}
        fake.isListening = false
      }
    },
    areOwed: async () => false,
    markIsolated: async () => {},
  }
  return Object.assign(fake, { store: fake as unknown as Store })
}
