import type { Urgency } from '../domain/queue/lane.ts'
import { StoreUnavailableError } from '../domain/values/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { ClaimResult } from '../store/claim.ts'
import type { Store } from '../store/store.ts'

/** How soon an unavailable store is tried again (milliseconds). */
const AGAIN = 1_000

/** Results in one commit: those of a large batch are written in several, so that a commit of others comes in between. */
const COMMIT = 500

/** Results that wait for the disk, in the order of their coming. */
interface Queue {
  waiting: { result: ClaimResult; done: (() => void) | null }[]
  /** Results that are not on the disk yet, those that are being written included. */
  unwritten: number
}

/**
 * Writes what became of claims, as many in one commit as have gathered, prompt ones first. While the store cannot write,
 * results are kept and tried again: an effect that happened is never forgotten as long as this process lives.
 */
export function createSettling(store: Pick<Store, 'settle'>, clock: Clock, logger: Logger) {
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
        const applied = await store.settle(results)
        applied.forEach((ok, index) => {
          if (!ok) logger.warn({ delivery: results[index]?.delivery }, 'delivery.decided-meanwhile')
        })
        return
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) return await oneByOne(results, error)
        await new Promise<void>((resolve) => clock.after(AGAIN, resolve))
      }
    }
  }

  /** Writes each result by itself where one of them is at fault, so that the others are kept. */
  async function oneByOne(results: ClaimResult[], error: unknown): Promise<void> {
    const [only] = results
    if (results.length > 1) for (const result of results) await write([result])
    else if (only) await hold(only, error)
  }

  /** Holds a delivery whose call was made: it must not simply go out again, so a person decides. */
  async function hold(result: ClaimResult, error: unknown): Promise<void> {
    logger.error({ delivery: result.delivery, err: error }, 'delivery.result-not-writable')
    const held = heldInstead(result, error)
    for (;;) {
      try {
        await store.settle([held])
        return
      } catch {
        await new Promise<void>((resolve) => clock.after(AGAIN, resolve))
      }
    }
  }

  return {
    /** The results of one call. `done` is called when all of them are on disk. */
    settle(urgency: Urgency, results: readonly ClaimResult[], done: () => void) {
      const queue = queues[urgency]
      queue.unwritten += results.length
      const last = results.at(-1)
      for (const result of results) queue.waiting.push({ result, done: result === last ? done : null })
      if (!busy) void run()
    },
    /** Results of an urgency that are not on disk yet. */
    unwritten: (urgency: Urgency): number => queues[urgency].unwritten,
    drained: (): Promise<void> => (busy ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve()),
  }
}

/** The result that is written where the store does not take one (an adapter said something that is no text, or no instant). */
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

/**
 * Gives claims back that nobody carries out. While the store does not take them, they are given again: whoever claims next
 * may be another worker of this hub, to which they are out until then.
 */
export function createReturning(store: Pick<Store, 'returnClaims'>, clock: Clock, logger: Logger) {
  const underWay = new Set<Promise<void>>()

  async function untilTaken(fences: number[]): Promise<void> {
    for (;;)
      try {
        return await store.returnClaims(fences)
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) logger.error({ err: error }, 'delivery.claims-not-returned')
        await new Promise<void>((resolve) => clock.after(AGAIN, resolve))
      }
  }

  return {
    giveBack(fences: number[]): void {
      const giving = untilTaken(fences)
      underWay.add(giving)
      void giving.finally(() => underWay.delete(giving))
    },
    /** All that was given back so far is. */
    drained: async (): Promise<void> => void (await Promise.all(underWay)),
  }
}
