/** Looks that are remembered at once; the oldest is forgotten first, and begins anew. */
const MOST = 1_000

/** How long a look may be gone on with (milliseconds): what was read longer ago may have changed since. */
const LASTING = 15 * 60_000

/** How far looks for effects have come, by the key of what they look for, so that the next try goes on where one failed. */
export interface LookPlaces<Place> {
  /** Where to go on; null: at the beginning. */
  of(key: string): Place | null
  /** Everything before this place was read, and it was not there. */
  reached(key: string, place: Place): void
  /** The look has come to its end. */
  ended(key: string): void
}

export function createLookPlaces<Place>(now: () => number = Date.now): LookPlaces<Place> {
  const looks = new Map<string, { since: number; place: Place }>()

  return {
    of(key) {
      const look = looks.get(key)
      return look && now() - look.since < LASTING ? look.place : null
    },
    reached(key, place) {
      const known = looks.get(key)
      const since = known && now() - known.since < LASTING ? known.since : now()
      looks.set(key, { since, place })
      const [oldest] = looks.keys()
      if (looks.size > MOST && oldest !== undefined) looks.delete(oldest)
    },
    ended(key) {
      looks.delete(key)
    },
  }
}
