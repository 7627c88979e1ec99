import { StoreUnavailableError } from '../domain/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Settlement, Store } from '../store/store.ts'

/** How soon an unavailable store is tried again (milliseconds). */
const AGAIN = 1_000

/**
 * Writes what became of claims, as many in one commit as have gathered. While the store cannot write, results are kept
 * and tried again: an effect that happened is never forgotten as long as this process lives.
 */
export function createSettling(store: Pick<Store, 'settle'>, clock: Clock, logger: Logger) {
  let waiting: { result: Settlement; done: () => void }[] = []
  let busy = false
  let unwritten = 0
  const idle: (() => void)[] = []

  async function run() {
    busy = true
    while (waiting.length > 0) {
      const group = waiting
      waiting = []
      await write(group.map(({ result }) => result))
      unwritten -= group.length
      for (const { done } of group) done()
    }
    busy = false
    for (const resolve of idle.splice(0)) resolve()
  }

  async function write(results: Settlement[]): Promise<void> {
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

  /** One of them is at fault: the others are written. */
  async function oneByOne(results: Settlement[], error: unknown): Promise<void> {
    const [only] = results
    if (results.length > 1) for (const result of results) await write([result])
    else if (only) await hold(only, error)
  }

  /** Its call was made, so it must not simply go out again: a person decides. */
  async function hold(result: Settlement, error: unknown): Promise<void> {
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
    /** `done` is called when it is on disk. */
    settle(result: Settlement, done: () => void) {
      unwritten += 1
      waiting.push({ result, done })
      if (!busy) void run()
    },
    /** Results that are not on disk yet. */
    unwritten: () => unwritten,
    drained: (): Promise<void> => (busy ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve()),
  }
}

/** What is written where the store does not take a result (an adapter said something that is no text, or no instant). */
function heldInstead({ fence, delivery, attempt }: Settlement, error: unknown): Settlement {
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
