import { setImmediate as breath } from 'node:timers/promises'
import { StoreUnavailableError } from '../domain/values/errors.ts'
import type { Arrival, Verdict } from '../store/arrival.ts'

interface Waiting {
  arrival: Arrival
  answer: PromiseWithResolvers<Verdict>
}

/** The most bytes that may wait for the disk at a time; more is refused rather than held in memory. */
const MOST_WAITING = 256 * 1024 * 1024

/** The most groups that are under way at once, so that the store always has the next one at hand. */
const AHEAD = 2

/** The most arrivals that share a commit: the first of them should not wait for the last. */
const MOST_TOGETHER = 512

/**
 * Arrivals that come while a commit is under way share the next one: many requests, one sync to disk.
 * Rejects with what the store said: for the whole group while the disk cannot take it, for the one that is at fault else.
 */
export function createGroupCommit(accept: (arrivals: Arrival[]) => Promise<Verdict[]>) {
  const queue: Waiting[] = []
  let bytes = 0
  let underWay = 0

  async function run() {
    underWay += 1
    while (queue.length > 0) {
      await breath()
      const group = queue.splice(0, MOST_TOGETHER)
      await commit(group)
      for (const { arrival } of group) bytes -= arrival.body.byteLength
    }
    underWay -= 1
  }

  async function commit(group: Waiting[]): Promise<void> {
    try {
      const verdicts = await accept(group.map(({ arrival }) => arrival))
      group.forEach(({ answer }, index) => {
        answer.resolve(verdicts[index] as Verdict)
      })
    } catch (error) {
      // One event is at fault, not the disk: its neighbours are not to suffer for it.
      if (group.length > 1 && !(error instanceof StoreUnavailableError)) for (const one of group) await commit([one])
      else for (const { answer } of group) answer.reject(error)
    }
  }

  return (arrival: Arrival): Promise<Verdict> => {
    if (bytes > MOST_WAITING)
      return Promise.reject(
        new StoreUnavailableError('More is arriving than the disk can take.', { code: 'store-overloaded' }),
      )
    const answer = Promise.withResolvers<Verdict>()
    queue.push({ arrival, answer })
    bytes += arrival.body.byteLength
    if (underWay < AHEAD) void run()
    return answer.promise
  }
}
