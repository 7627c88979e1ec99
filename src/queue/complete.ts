import type { Urgency } from '../domain/queue/queue-key.ts'
import { StorageUnavailableError } from '../domain/values/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { ClaimResult } from '../storage/claim.ts'
import type { Storage } from '../storage/storage.ts'

const RETRY_AFTER_MS = 1_000

/** Outcomes per commit; larger batches let other commits in between. */
const COMMIT = 500

interface Queue {
  waiting: { result: ClaimResult; done: (() => void) | null }[]
  unwritten: number
}

/** Group commits, prompt first; retried while the storage is unavailable. */
export function createSettling(storage: Pick<Storage, 'settle'>, clock: Clock, logger: Logger) {
  const queues: Record<Urgency, Queue> = { prompt: { waiting: [], unwritten: 0 }, bulk: { waiting: [], unwritten: 0 } }
  let busy = false
  const idle: (() => void)[] = []

  async function run() {
    busy = true
    while (queues.prompt.waiting.length > 0 || queues.bulk.waiting.length > 0) {
      const prompt = queues.prompt.waiting.splice(0, COMMIT)
      const bulk = queues.bulk.waiting.splice(0, COMMIT - prompt.length)
      const group = [...prompt, ...bulk]
      await write(group.map(({ result }) => result))
      queues.prompt.unwritten -= prompt.length
      queues.bulk.unwritten -= bulk.length
      for (const { done } of group) done?.()
    }
    busy = false
    for (const resolve of idle.splice(0)) resolve()
  }

  async function write(results: ClaimResult[]): Promise<void> {
    for (;;) {
      try {
        const applied = await storage.settle(results)
        for (const [index, ok] of applied.entries())
          if (!ok) logger.warn({ delivery: results[index]?.delivery }, 'delivery.decided-meanwhile')
        return
      } catch (error) {
        if (!(error instanceof StorageUnavailableError)) return await oneByOne(results, error)
        await pause()
      }
    }
  }

  async function oneByOne(results: ClaimResult[], error: unknown): Promise<void> {
    const [only] = results
    if (results.length > 1) for (const result of results) await write([result])
    else if (only) {
      logger.error({ delivery: only.delivery, err: error }, 'delivery.result-not-writable')
      const held = heldInstead(only, error)
      while (!(await storage.settle([held]).catch(() => null))) await pause()
    }
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => clock.after(RETRY_AFTER_MS, resolve))
  }

  return {
    settle(urgency: Urgency, results: readonly ClaimResult[], done: () => void) {
      const queue = queues[urgency]
      queue.unwritten += results.length
      const last = results.at(-1)
      for (const result of results) queue.waiting.push({ result, done: result === last ? done : null })
      if (!busy) void run()
    },
    unwritten: (urgency: Urgency): number => queues[urgency].unwritten,
    drained: (): Promise<void> => (busy ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve()),
  }
}

function heldInstead({ fence, delivery, attempt }: ClaimResult, error: unknown): ClaimResult {
  const why = `its result could not be written: ${error instanceof Error ? error.message : String(error)}`
  const { at, ms } = attempt
  return {
    fence,
    delivery,
    next: { state: 'held', dueAt: at, why, tries: 0, finds: 0, failingSince: null, open: true },
    attempt: { at, ms, outcome: 'unknown', code: 'result-not-writable', note: why },
    links: [],
  }
}

/** Retried while the storage is unavailable. */
export function createReturning(storage: Pick<Storage, 'returnClaims'>, clock: Clock, logger: Logger) {
  const underWay = new Set<Promise<void>>()

  async function untilTaken(fences: number[]): Promise<void> {
    for (;;)
      try {
        return await storage.returnClaims(fences)
      } catch (error) {
        if (!(error instanceof StorageUnavailableError)) logger.error({ err: error }, 'delivery.claims-not-returned')
        await new Promise<void>((resolve) => clock.after(RETRY_AFTER_MS, resolve))
      }
  }

  return {
    giveBack(fences: number[]): void {
      const giving = untilTaken(fences)
      underWay.add(giving)
      void giving.finally(() => underWay.delete(giving))
    },
    drained: async (): Promise<void> => void (await Promise.all(underWay)),
  }
}
