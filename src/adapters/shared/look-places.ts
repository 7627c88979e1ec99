import { RetryLaterError, UnfinishedLookError, UnknownOutcomeError } from '../../domain/values/errors.ts'

/** The oldest is dropped first. */
const MAX_LOOKS = 1_000

/** Milliseconds: what was read longer ago may have changed. */
const LASTING = 15 * 60_000

/** @param reached everything before this place was read, without a match */
type Look<Place, Result> = (from: Place, reached: (place: Place) => void) => Promise<Result>

/**
 * Runs a lookup by its key from where its last try failed. One that fails after more than its first place throws an UnfinishedLookError: a
 * retry brings it further.
 */
export type LookPlaces<Place> = <Result>(key: string, start: Place, look: Look<Place, Result>) => Promise<Result>

export function createLookPlaces<Place>(now: () => number = Date.now): LookPlaces<Place> {
  const looks = new Map<string, { since: number; place: Place }>()

  return async (key, start, look) => {
    const known = looks.get(key)
    const { since, place: from } = known && now() - known.since < LASTING ? known : { since: now(), place: start }
    let steps = 0
    try {
      const result = await look(from, (place) => {
        steps += 1
        looks.set(key, { since, place })
        const [oldest] = looks.keys()
        if (looks.size > MAX_LOOKS && oldest !== undefined) looks.delete(oldest)
      })
      looks.delete(key)
      return result
    } catch (error) {
      if (steps <= 1 || !mayPass(error)) throw error
      throw new UnfinishedLookError(error.message, { code: error.code, cause: error })
    }
  }
}

function mayPass(error: unknown): error is RetryLaterError | UnknownOutcomeError {
  if (error instanceof UnknownOutcomeError) return !error.byHand
  return error instanceof RetryLaterError && error.scope === 'item'
}
