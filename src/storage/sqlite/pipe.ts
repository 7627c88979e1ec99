import { existsSync } from 'node:fs'
import { JobLostError, StorageUnavailableError, UserError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Operation, Result, StartThread, Thread } from '../../lib/thread.ts'
import { BrokenPayloadError } from '../payload.ts'
import type { Item } from '../queue/queue.ts'
import type { Comparison, QueueStorage } from '../queue/queues.ts'
import { describeUnavailable, isUnavailableCode } from './file/unavailable.ts'
import type { WriterMethods } from './writer.ts'

interface Pending {
  operation: Operation
  transfer: ArrayBuffer[]
  /** Runs with the answer, in call order, before anything that awaits the promise. */
  after: ((value: never) => unknown) | undefined
  resolve(value: unknown): void
  reject(error: unknown): void
}

type AloneMethods = WriterMethods & { checkpoint(): void }

/** One commits while the next waits in the thread (docs/adr/0002-embedded-store.md). */
const AHEAD = 2
/** Low-priority work gets a turn at least this often (ms). */
const TIMEOUT_MS = 50
/** So long after a crash claims are on disk before their calls: one of them may end the process again (ms). */
const CAREFUL_MS = 600_000

/**
 * Group commit: operations that arrive while groups are under way share one transaction and sync; order is kept.
 * `callWhenFree` work runs alone, when idle or after TIMEOUT_MS. `committed` is called per group.
 */
export function createPipe(thread: Thread, path: string, committed: () => void, now = () => performance.now()) {
  const gathered: Pending[] = []
  const waiting: (Pending & { since: number })[] = []
  let underWay = 0
  let isAlone = false
  let lastAlone = Number.NEGATIVE_INFINITY
  /** A process that ends cleanly leaves no WAL. */
  const carefulUntil = existsSync(`${path}-wal`) ? now() + CAREFUL_MS : 0
  const idle: (() => void)[] = []

  async function pump() {
    underWay += 1
    for (;;) {
      const [first] = waiting
      const isFree = gathered.length === 0 && underWay === 1
      const goesAlone =
        first !== undefined && !isAlone && (isFree || now() - Math.max(first.since, lastAlone) > TIMEOUT_MS)
      const group = goesAlone ? waiting.splice(0, 1) : gathered.splice(0)
      if (group.length === 0) break
      isAlone ||= goesAlone
      try {
        const results = await thread.run(
          group.map((pending) => pending.operation),
          group.flatMap((pending) => pending.transfer),
        )
        committed()
        group.forEach((pending, index) => {
          try {
            const value = unwrap(results[index], path) as never
            pending.resolve(pending.after ? pending.after(value) : value)
          } catch (error) {
            pending.reject(error)
          }
        })
      } catch (error) {
        const lost = new StorageUnavailableError('The store has stopped. Restart the hub.', { cause: error })
        for (const pending of group) pending.reject(lost)
      }
      if (goesAlone) [isAlone, lastAlone] = [false, now()]
    }
    underWay -= 1
    if (underWay === 0) for (const done of idle.splice(0)) done()
  }

  function call<M extends keyof WriterMethods, T = ReturnType<WriterMethods[M]>>(
    method: M,
    args: Parameters<WriterMethods[M]>,
    after?: (value: ReturnType<WriterMethods[M]>) => T,
    transfer: ArrayBuffer[] = [],
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    gathered.push({ operation: { method, args }, transfer, after, resolve, reject })
    if (underWay < AHEAD) void pump()
    return promise as Promise<T>
  }

  /** In a transaction of its own; may be invalidated. */
  function callWhenFree<M extends keyof AloneMethods>(
    method: M,
    args: Parameters<AloneMethods[M]>,
  ): Promise<ReturnType<AloneMethods[M]>> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    waiting.push({ operation: { method, args }, transfer: [], since: now(), after: undefined, resolve, reject })
    if (underWay < AHEAD) void pump()
    return promise as Promise<ReturnType<AloneMethods[M]>>
  }

  return {
    call,
    callWhenFree,

    methods: <M extends keyof WriterMethods>(...names: M[]) => methodsOf(names, (name, args) => call(name, args)),
    methodsWhenFree: <M extends keyof WriterMethods>(...names: M[]) => methodsOf(names, callWhenFree),

    /** Sent at once, past the gathering group; resolves when it is written, if that is to be waited for. */
    async track(claimed: readonly Item[], returned: readonly Item[]): Promise<void> {
      if (claimed.length + returned.length === 0) return
      const atOnce = claimed.length > 0 && now() < carefulUntil
      const ids = [claimed, returned].map((items) => items.map(({ delivery }) => delivery.id))
      const tracked = thread.run([{ method: 'in-flight', args: [...ids, atOnce] }]).catch(() => undefined)
      if (atOnce) await tracked
    },

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

/** Asks a thread without waiting in the pipe. */
export async function ask<T>(
  thread: Pick<Thread, 'run'>,
  path: string,
  method: string,
  args: unknown[] = [],
): Promise<T> {
  const [result] = await thread.run([{ method, args }])
  return unwrap(result, path) as T
}

export function unwrap(result: Result | undefined, path: string): unknown {
  if (result && 'value' in result) return result.value
  throw toError(result?.error ?? { name: 'Error', message: 'no result', code: null }, path)
}

function toError(error: { name: string; message: string; code: string | null }, path: string): Error {
  if (error.code && isUnavailableCode(error.code))
    return new StorageUnavailableError(`The store cannot write: ${describeUnavailable(error.code, path)}.`, {
      code: error.code,
    })
  if (error.name === 'UserError') return new UserError(error.message)
  if (error.name === 'BrokenPayloadError') return new BrokenPayloadError(error.message)
  if (error.name === 'JobLostError') return new JobLostError(error.message)
  return Object.assign(new Error(error.message), { name: error.name })
}

/** The writer as the queue sees it. One process has the file, so claims need no rows: only `once` deliveries are marked. */
export function createQueueStorage(pipe: Pipe, clock: () => Instant): QueueStorage {
  return {
    load: (queueKey, after, { items, bytes }, then) => pipe.call('load', [queueKey, after, items, bytes], then),
    /** One statement group for all that a claim needs of the file. */
    async prepare(items, until) {
      const needy = items.filter(
        ({ body, delivery, digested, guarded }) => !body || delivery.once || digested || guarded,
      )
      const lost = new Set<Item>()
      const comparisons = new Map<Item, Partial<Comparison>>()
      if (needy.length === 0) return { lost, comparisons }
      const asked = needy.map(({ delivery: { id, once }, digested, guarded, body, event }) => {
        return { id, once, digested, guarded, event: body ? null : event.id }
      })
      return await pipe.call('prepare', [asked, until, clock()], (prepared) => {
        for (const [index, item] of needy.entries()) {
          const one = prepared[index]
          if (!one) lost.add(item)
          else comparisons.set(item, one.comparison)
          item.body ??= one?.body ?? null
        }
        return { lost, comparisons }
      })
    },

    complete: (outcomes, then) => pipe.call('settle', [JSON.stringify(outcomes), clock()], then),

    async release(items) {
      const once = items.filter(({ delivery }) => delivery.once).map(({ delivery }) => delivery)
      const delivered = once.length > 0 ? await pipe.call('offWire', [once, clock()]) : []
      void pipe.track([], items)
      return delivered
    },

    track: pipe.track,
  }
}

interface Options {
  writer: Pick<Thread, 'run'>
  pipe: Pick<Pipe, 'callWhenFree'>
  path: string
  startThread: StartThread
}

/** WAL pages before a checkpoint (8 MB). */
const PAGES = 1_000
const COMMITS = 4
/** Pages that the writer copies itself (1 MB): no commit waits for more. */
const REST = 128
const TRIES = 3

/**
 * Keeps the WAL short: a thread copies most of it, the idle writer the rest, so that the WAL restarts
 * (docs/adr/0002-embedded-store.md). Fallback: SQLite checkpoints in a commit at `FALLBACK_PAGES`.
 */
export function createCheckpoints({ writer, pipe, path, startThread }: Options) {
  let thread: Thread | null = null
  let commits = 0
  let underWay: Promise<unknown> | null = null

  async function checkpoint() {
    if ((await ask<number>(writer, path, 'wal-pages')) < PAGES) return
    thread ??= startThread(new URL('./file/checkpoint-thread.ts', import.meta.url), { path }, { youngMb: 1 })
    for (let left = TRIES; left > 0; left--)
      if ((await ask<number>(thread, path, 'copy')) <= REST) return await pipe.callWhenFree('checkpoint', [])
  }

  return {
    committed(): void {
      commits += 1
      if (underWay || commits < COMMITS) return
      commits = 0
      underWay = checkpoint()
        .catch(() => undefined)
        .finally(() => {
          underWay = null
        })
    },

    async [Symbol.asyncDispose]() {
      await underWay
      await thread?.[Symbol.asyncDispose]()
    },
  }
}
