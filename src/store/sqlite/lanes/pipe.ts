import { JobLostError, StoreUnavailableError, UserError } from '../../../domain/values/errors.ts'
import type { Operation, Result, Thread } from '../../../lib/thread.ts'
import { BrokenBlockError } from '../../payloads/broken-block-error.ts'
import { describeUnavailable, isUnavailableCode } from '../file/unavailable.ts'
import type { WriterMethods } from '../writer.ts'

interface Pending {
  operation: Operation
  transfer: ArrayBuffer[]
  /** Since when it waits; null: it cannot wait. */
  since: number | null
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** Besides the methods of the file, what the thread does outside of a transaction. */
type AloneMethods = WriterMethods & { checkpoint(): void }

/**
 * The most groups that may be on their way at once: while one is being committed, the next already waits in the other thread,
 * which need not be idle for the time a message takes (docs/adr/0002-embedded-store.md).
 */
const AHEAD = 2

/** So long does what can wait leave the way to what cannot (milliseconds): where the writer is never free, it has one turn in that time. */
const PATIENCE = 50

/**
 * The way to the writer's thread. While groups are on their way, the next one gathers: accepts and settles of that time
 * share one transaction and one sync. Groups are committed, and answered, in the order they were sent. What can wait goes alone, and
 * when nothing else does: whoever comes meanwhile waits for one such piece, and not for another. `committed` is told of each group. `now`: a
 * clock for stretches of time (milliseconds).
 */
export function createPipe(thread: Thread, path: string, committed: () => void, now = () => performance.now()) {
  const gathered: Pending[] = []
  const waiting: Pending[] = []
  let underWay = 0
  /** Whether one that can wait is under way, and when the last one was over. */
  let isAlone = false
  let lastAlone = Number.NEGATIVE_INFINITY
  const idle: (() => void)[] = []

  /** What goes next. Whoever asks is about to send it, and counts among those under way. */
  function next(): Pending[] {
    const [first] = waiting
    if (first !== undefined && !isAlone) {
      const isFree = gathered.length === 0 && underWay === 1
      if (isFree || now() - Math.max(first.since ?? 0, lastAlone) > PATIENCE) return waiting.splice(0, 1)
    }
    return gathered.splice(0)
  }

  async function pump() {
    underWay += 1
    for (let group = next(); group.length > 0; group = next()) {
      const goesAlone = group[0]?.since !== null
      isAlone ||= goesAlone
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
      if (goesAlone) [isAlone, lastAlone] = [false, now()]
    }
    underWay -= 1
    if (underWay === 0) for (const done of idle.splice(0)) done()
  }

  function give(pending: Pending): void {
    if (pending.since === null) gathered.push(pending)
    else waiting.push(pending)
    if (underWay < AHEAD) void pump()
  }

  /**
   * Runs one operation. `after` runs as soon as the answer is in and in the order of the calls, before anything that
   * awaits the promise: what must never be overtaken belongs there.
   */
  function call<M extends keyof WriterMethods, T = ReturnType<WriterMethods[M]>>(
    method: M,
    args: Parameters<WriterMethods[M]>,
    after?: (value: ReturnType<WriterMethods[M]>) => T,
    transfer: ArrayBuffer[] = [],
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      give({
        operation: { method, args },
        transfer,
        since: null,
        resolve: (value) => resolve(after ? after(value as ReturnType<WriterMethods[M]>) : (value as T)),
        reject,
      })
    })
  }

  /** Runs one operation that can wait, in a transaction of its own. It may be overtaken by what is given later. */
  function callWhenFree<M extends keyof AloneMethods>(
    method: M,
    args: Parameters<AloneMethods[M]>,
  ): Promise<ReturnType<AloneMethods[M]>> {
    return new Promise((resolve, reject) => {
      const resolved = (value: unknown) => resolve(value as ReturnType<AloneMethods[M]>)
      give({ operation: { method, args }, transfer: [], since: now(), resolve: resolved, reject })
    })
  }

  return {
    call,
    callWhenFree,

    /** Methods that are calls of the same names. */
    methods: <M extends keyof WriterMethods>(...names: M[]) => methodsOf(names, (name, args) => call(name, args)),
    methodsWhenFree: <M extends keyof WriterMethods>(...names: M[]) => methodsOf(names, callWhenFree),

    /** Tells the thread which deliveries are in flight from now on, and which are no more: at once, past what gathers, and nobody waits for it. */
    noteInFlight(begun: readonly number[], ended: readonly number[]): void {
      thread.run([{ method: 'in-flight', args: [begun, ended] }]).catch(() => undefined)
    },

    /** Resolves when everything given so far is done. */
    drained(): Promise<void> {
      return underWay > 0 ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve()
    },
  }
}

type Called<M extends keyof WriterMethods> = {
  [Name in M]: (...args: Parameters<WriterMethods[Name]>) => Promise<ReturnType<WriterMethods[Name]>>
}

function methodsOf<M extends keyof WriterMethods>(
  names: readonly M[],
  call: (name: M, args: Parameters<WriterMethods[M]>) => Promise<unknown>,
): Called<M> {
  return Object.fromEntries(
    names.map((name) => [name, (...args: Parameters<WriterMethods[M]>) => call(name, args)]),
  ) as Called<M>
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
