import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Outcome } from '../../../src/domain/queue/outcome.ts'
import type { Operation, Result, Thread } from '../../../src/lib/thread.ts'
import { pack } from '../../../src/storage/accepting.ts'
import type { Arrival } from '../../../src/storage/arrival.ts'
import type { Claim, Claims } from '../../../src/storage/claim.ts'
import { createQueues } from '../../../src/storage/queue/queues.ts'
import { createSlices } from '../../../src/storage/sqlite/deleting.ts'
import { openForWriting } from '../../../src/storage/sqlite/file/connection.ts'
import { createPipe, createQueueStorage } from '../../../src/storage/sqlite/pipe.ts'
import { openWriter, runTogether } from '../../../src/storage/sqlite/writer.ts'
import { LEASE, SHOP, settlement } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { temporaryFolder } from '../sqlite/file.ts'
import { roomFor } from './items.ts'

/**
 * The queues of a file, with its real writer, which runs here: no thread has to be started. `gate`: what the writer waits for before its
 * next group; it may throw, as a disk does. `slicesClock`: tells how long its slices take; by itself they take no time.
 */
export function openQueues(empty: string, window = { items: 10, bytes: 20_000 }, slicesClock = () => 0) {
  const folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  copyFileSync(empty, path)
  const writer = openWriter(openForWriting(path), 0, createSlices(slicesClock))
  const state = { now: 1_000_000_000_000, gate: async (_: string[]) => {} }
  const asked: string[] = []
  const thread: Pick<Thread, 'run'> = {
    async run(operations: Operation[]): Promise<Result[]> {
      const methods = operations.map(({ method }) => method)
      // The thread takes it by itself, outside of groups.
      if (operations[0]?.method === 'in-flight') {
        const [claimed, returned] = operations[0].args as [number[], number[]]
        for (const id of claimed) writer.inFlight.current.add(id)
        for (const id of returned) writer.inFlight.current.delete(id)
        return [{ value: null }]
      }
      asked.push(...methods)
      await state.gate(methods)
      return structuredClone(runTogether(writer, structuredClone(operations)))
    },
  }
  const pipe = createPipe(thread as Thread, path, () => {})
  const woken: string[][] = []
  const clock = () => state.now
  const queueKeys = createQueues(createQueueStorage(pipe, clock), window, clock)
  queueKeys.onWork((some) => woken.push(some.map(({ destination, urgency }) => `${destination} ${urgency}`)))

  return {
    queueKeys,
    pipe,
    db: writer.db,
    state,
    /** The methods that the writer was asked for, and the queues that were woken, each time. */
    asked,
    woken,
    ...createArrivals({ now: clock }),

    async accept(...arrivals: Arrival[]): Promise<number[]> {
      const { packed, bodies } = pack(arrivals)
      return await pipe.call('accept', [packed, bodies], (results) => {
        queueKeys.accepted(arrivals, results)
        return results.map(({ verdict }) => verdict.id)
      })
    },

    claim: (queueKey = SHOP, room: Parameters<typeof roomFor>[0] = {}): Promise<Claims> =>
      queueKeys.claim(queueKey, roomFor(room), LEASE),

    /** Settles claims alike; which of them were still waiting. */
    async settle(claims: Claim[], outcome: Outcome): Promise<boolean[]> {
      return await queueKeys.settle(claims.map((one) => settlement(one, outcome, state.now)))
    },

    [Symbol.dispose]() {
      writer.db.close()
      folder[Symbol.dispose]()
    },
  }
}

/** The deliveries of claims, by the calls that they go out in. */
export function callsOf({ calls }: Claims): number[][] {
  return calls.map((call) => call.map(({ delivery }) => delivery.id))
}
