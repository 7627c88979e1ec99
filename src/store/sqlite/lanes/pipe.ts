import { JobLostError, StoreUnavailableError, UserError } from '../../../domain/values/errors.ts'
import type { Operation, Result, Thread } from '../../../lib/thread.ts'
import { BrokenBlockError } from '../../payloads/broken-block-error.ts'
import { describeUnavailable, isUnavailableCode } from '../file/unavailable.ts'
import type { WriterMethods } from '../writer.ts'

interface Pending {
  operation: Operation
  transfer: ArrayBuffer[]
  resolve(value: unknown): void
  reject(error: unknown): void
}

/**
 * The most groups that may be on their way at once: while one is being committed, the next already waits in the other thread,
 * which need not be idle for the time a message takes (docs/adr/0002-embedded-store.md).
 */
const AHEAD = 2

/**
 * The way to the writer's thread. While groups are on their way, the next one gathers: accepts and settles of that time
 * share one transaction and one sync. Groups are committed, and answered, in the order they were sent. `committed` is
 * told of each.
 */
export function createPipe(thread: Thread, path: string, committed: () => void) {
  let gathered: Pending[] = []
  let underWay = 0
  const idle: (() => void)[] = []

  async function pump() {
    underWay += 1
    while (gathered.length > 0) {
      const group = gathered
      gathered = []
      try {
        const results = await thread.run(
          group.map((pending) => pending.operation),
          group.flatMap((pending) => pending.transfer),
        )
        committed()
        group.forEach((pending, index) => {
          try {
            pending.resolve(unwrap(results[index], path))
          } catch (error) {
            pending.reject(error)
          }
        })
      } catch (error) {
        const lost = new StoreUnavailableError('The store has stopped. Restart the hub.', { cause: error })
        for (const pending of group) pending.reject(lost)
      }
    }
    underWay -= 1
    if (underWay === 0) for (const done of idle.splice(0)) done()
  }

  return {
    /**
     * Runs one operation. `after` runs as soon as the answer is in and in the order of the calls, before anything that
     * awaits the promise: what must never be overtaken belongs there.
     */
    call<M extends keyof WriterMethods, T = ReturnType<WriterMethods[M]>>(
      method: M,
      args: Parameters<WriterMethods[M]>,
      after?: (value: ReturnType<WriterMethods[M]>) => T,
      transfer: ArrayBuffer[] = [],
    ): Promise<T> {
      return new Promise((resolve, reject) => {
        gathered.push({
          operation: { method, args },
          transfer,
          resolve: (value) => resolve(after ? after(value as ReturnType<WriterMethods[M]>) : (value as T)),
          reject,
        })
        if (underWay < AHEAD) void pump()
      })
    },

    /** Resolves when everything given so far is done. */
    drained(): Promise<void> {
      return underWay > 0 ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve()
    },
  }
}

export type Pipe = ReturnType<typeof createPipe>

/** The value that an operation gave. Throws what it threw there. */
export function unwrap(result: Result | undefined, path: string): unknown {
  if (result && 'value' in result) return result.value
  throw toError(result?.error ?? { name: 'Error', message: 'no result', code: null }, path)
}

function toError(error: { name: string; message: string; code: string | null }, path: string): Error {
  if (error.code && isUnavailableCode(error.code))
    return new StoreUnavailableError(`The store cannot write: ${describeUnavailable(error.code, path)}.`, {
      code: error.code,
    })
  if (error.name === 'UserError') return new UserError(error.message)
  if (error.name === 'BrokenBlockError') return new BrokenBlockError(error.message)
  if (error.name === 'JobLostError') return new JobLostError(error.message)
  return Object.assign(new Error(error.message), { name: error.name })
}
