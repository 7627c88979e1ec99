import type { QueueKey, Urgency } from '../../../src/domain/queue/queue-key.ts'
import type { Claim, ClaimLimits, ClaimResult, Claims } from '../../../src/storage/claim.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { claimOf } from './parts.ts'

/** A store whose queues are lists, for tests of the worker alone: it hands out what is in them, and keeps what it is told. */
export function createFakeStore() {
  const claims: { queue: QueueKey; room: ClaimLimits; lease: number }[] = []
  const results: ClaimResult[] = []
  const returned: number[] = []
  const due: Record<Urgency, Claim[][]> = { prompt: [], bulk: [] }
  let lastId = 0
  let listener: (queues: readonly QueueKey[]) => void = () => {}
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
    /** Calls that have been claimed so far, queue by queue. */
    claimed: () => claims.map(({ queue, room }) => `${queue.urgency} ${room.calls}`),

    /** Owes so many calls of one delivery each, or one call of several. */
    enqueue(urgency: Urgency, calls: number, together = 1, failingSince: number | null = null) {
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
    async claim(queue: QueueKey, room: ClaimLimits, lease: number): Promise<Claims> {
      claims.push({ queue, room, lease })
      const error = fake.failing.shift()
      if (error) throw error
      const calls = queue.destination === 'bus' ? due[queue.urgency].splice(0, room.calls) : []
      await fake.claimAfter
      return { calls, wakeAt: fake.wakeAt[queue.urgency], ...(fake.yieldingLeft && { yieldingLeft: true as const }) }
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
    arePending: async () => false,
    markIsolated: async () => {},
  }
  return Object.assign(fake, { storage: fake as unknown as Storage })
}
