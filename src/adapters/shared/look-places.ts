import { RetryLaterError, UnfinishedLookError, UnknownOutcomeError } from '../../domain/values/errors.ts'

/** Looks that are remembered at once; the oldest is forgotten first, and begins anew. */
const MAX_LOOKS = 1_000

/** How long a look may be gone on with (milliseconds): what was read longer ago may have changed since. */
const LASTING = 15 * 60_000

/** How far looks for effects have come, by the key of what they look for, so that the next try goes on where one failed. */
export interface LookPlaces<Place> {
  /** Where to go on; null: at the beginning. */
  of(key: string): Place | null
  /** Everything before this place was read, and it was not there. */
  reached(key: string, place: Place): void
  ended(key: string): void
  /**
   * Carries out a look. One that fails after it has reached more than its first place throws an UnfinishedLookError: to try it
   * again brings it further. One that fails because nobody gets through, or is refused, throws as it is.
   */
  goOn<Result>(key: string, look: () => Promise<Result>): Promise<Result>
}

interface Look<Place> {
  since: number
  place: Place
  steps: number
}

export function createLookPlaces<Place>(now: () => number = Date.now): LookPlaces<Place> {
  const looks = new Map<string, Look<Place>>()

  return {
    of(key) {
      const look = looks.get(key)
      return look && now() - look.since < LASTING ? look.place : null
    },
    reached(key, place) {
      const known = looks.get(key)
      const since = known && now() - known.since < LASTING ? known.since : now()
      looks.set(key, { since, place, steps: (known?.steps ?? 0) + 1 })
      const [oldest] = looks.keys()
      if (looks.size > MAX_LOOKS && oldest !== undefined) looks.delete(oldest)
    },
    ended(key) {
      looks.delete(key)
    },
    async goOn(key, look) {
      const known = looks.get(key)
      if (known) looks.set(key, { ...known, steps: 0 })
      try {
        return await look()
      } catch (error) {
        const steps = looks.get(key)?.steps ?? 0
        throw steps > 1 && mayPass(error)
          ? new UnfinishedLookError(error.message, { code: error.code, cause: error })
          : error
      }
    },
  }
}

function mayPass(error: unknown): error is RetryLaterError | UnknownOutcomeError {
  if (error instanceof UnknownOutcomeError) return !error.byHand
  return error instanceof RetryLaterError && error.scope === 'item'
}
