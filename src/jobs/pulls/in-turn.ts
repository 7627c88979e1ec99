import { z } from 'zod'
import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'

/** The error by which one thing of several failed. */
export interface Failed<T> {
  item: T
  error: Error
}

/** Keys that are refused are refused for everything. */
const OF_ALL = ['http-401', 'http-403']

/**
 * Does each in turn. What one of them fails by does not hold up the others, and is given back; `failed` is told of it, too.
 * Throws where none would get through: the platform or the store is out of reach, the keys are refused, the run is over.
 */
export async function inTurn<T>(
  items: Iterable<T>,
  signal: AbortSignal,
  act: (item: T) => Promise<void>,
  failed: (item: T) => Promise<void> = async () => {},
): Promise<Failed<T>[]> {
  const all: Failed<T>[] = []
  for (const item of items) {
    signal.throwIfAborted()
    try {
      await act(item)
    } catch (error) {
      signal.throwIfAborted()
      if (!isAboutItem(error) || (error instanceof PermanentError && OF_ALL.includes(error.code))) throw error
      all.push({ item, error })
      await failed(item)
    }
  }
  return all
}

/** The most things that are named in a problem. */
const NAMED = 3

/** Throws what says that some could not be done, and what was. `name`: what each of them is, for people. */
export function throwIfFailed<T>(all: readonly Failed<T>[], name: (item: T) => string, note: string): void {
  const [first] = all
  if (!first) return
  const why = all.slice(0, NAMED).map(({ item, error }) => `${name(item)}: ${error.message}`)
  const more = all.length > NAMED ? ` And ${all.length - NAMED} more.` : ''
  throw new RetryLaterError(`${why.join('; ')}.${more} Done: ${note}`, { code: 'pull-incomplete', cause: first.error })
}

/** Trouble with what was asked for alone; anything else may pass. Otherwise the platform or the store is out of reach. */
export function isAboutItem(error: unknown): error is Error {
  if (error instanceof RetryLaterError) return error.scope === 'item'
  return error instanceof PermanentError || error instanceof UnknownOutcomeError
}

/** A round that was left unfinished for longer is begun anew (milliseconds). */
const STALE = 12 * 3_600_000

/** How far a round over stocks has come. */
export type Round = z.output<typeof Round>

export const Round = z
  .object({
    /** Null: none is under way. */
    begun: z.number().nullable(),
    done: z.array(z.string()),
  })
  .catch(() => ({ begun: null, done: [] }))

export const NO_ROUND: Round = { begun: null, done: [] }

/** The round that was left unfinished, or a new one. */
export function goOn(left: Round, now: Instant): Round & { begun: Instant } {
  const { begun, done } = left
  // One that is still to begin was noted by a clock that was ahead.
  const isOurs = begun !== null && Math.abs(now - begun) < STALE
  return isOurs ? { begun, done } : { begun: now, done: [] }
}
