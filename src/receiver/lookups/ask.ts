import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { createSemaphore } from '../../lib/semaphore.ts'
import type { Source } from './source.ts'

/** The most rows of one source that are looked at: nobody at a till reads more. */
const MAX_FOUND = 50

/** The most questions that one source works on at a time, since a POS waits for each; and those that wait. What comes beyond is not asked. */
const AT_ONCE = 8
const WAITING = 16

/** The answers of the sources within the budget. */
export interface Answers<Found> {
  /** In the order of the sources: those that answered, each with what it found. */
  answered: { source: string; found: Found[] }[]
  /** Sources that failed, or were too slow. */
  missing: string[]
  /** How long it took (milliseconds). */
  ms: number
}

interface Options<Found> {
  /** Whether what a source found can be worked with. */
  isFound(row: unknown): row is Found
  /** Milliseconds after which what is there has to do. */
  budget: number
  clock: Clock
  logger: Logger
}

/**
 * Asks all sources at once, and gives what is there when the budget is over, or nobody waits any more (`gone`). Who has not
 * answered by then is told to stop. A line of the log names the source that failed, and says nothing of the question.
 */
export function createAsk<Query, Found>(
  sources: readonly Source<Query, Found>[],
  { isFound, budget, clock, logger }: Options<Found>,
): (query: Query, gone: AbortSignal) => Promise<Answers<Found>> {
  const limited = sources.map((source) => ({ ...source, source, limiter: createSemaphore(AT_ONCE, WAITING) }))

  return async (query, gone) => {
    const begun = performance.now()
    const over = new AbortController()
    const stop = clock.after(budget, () => over.abort(new DOMException('the till waits no longer', 'TimeoutError')))
    const signal = AbortSignal.any([over.signal, gone])
    const ended = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => ended.resolve(), { once: true })
    const answers = new Map<string, Found[]>()

    async function ask({ name, source, limiter }: (typeof limited)[number]): Promise<void> {
      try {
        const found = await limiter(() => source.search(query, { signal }), signal)
        if (!Array.isArray(found)) throw new TypeError('a search gives a list')
        const rows = found.slice(0, MAX_FOUND)
        if (!rows.every(isFound)) throw new TypeError('a search gives what it says')
        if (!signal.aborted) answers.set(name, rows)
      } catch (error) {
        if (!gone.aborted) logger.warn({ source: name, ms: since(begun), why: codeOf(error) }, 'lookup.source-failed')
      }
    }

    try {
      await Promise.race([Promise.all(limited.map(ask)), ended.promise])
    } finally {
      stop()
    }
    const result = {
      answered: sources.flatMap(({ name }) => {
        const found = answers.get(name)
        return found ? [{ source: name, found }] : []
      }),
      missing: sources.map(({ name }) => name).filter((name) => !answers.has(name)),
      ms: since(begun),
    }
    over.abort()
    return result
  }
}

function since(begun: number): number {
  return Math.round(performance.now() - begun)
}

/** The code of a failure, without its words: they may hold what was asked. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
