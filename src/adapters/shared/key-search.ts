import { RetryLaterError, UnfinishedLookError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Attempt } from '../../ports/attempt.ts'
import { since } from './shop-orders.ts'

const MAX_PLACES = 1_000

/** Milliseconds; what was read before may have changed since. */
const PLACE_TTL = 15 * 60_000

interface Page<Order, Place> {
  orders: Order[]
  next: Place | null
}

interface Search<Order, Place> {
  start: Place
  /** Oldest first, so that new orders move no other to a page that was read. */
  read(place: Place, from: Instant, signal: AbortSignal): Promise<Page<Order, Place>>
  hasKey(order: Order, key: string): boolean
}

/** Finds orders by our key in a note or in meta data, in shops without idempotency keys. */
export function createKeySearch<Order extends { id: string | number }, Place>(
  { start, read, hasKey }: Search<Order, Place>,
  now: () => Instant = Date.now,
) {
  const places = new Map<string, { since: Instant; place: Place }>()

  return {
    /** Continues at the page before the one that failed: a deletion moves orders to the page before. */
    async find({ key, firstTriedAt, signal }: Pick<Attempt, 'key' | 'firstTriedAt' | 'signal'>): Promise<Order | null> {
      const known = places.get(key)
      const began = known && now() - known.since < PLACE_TTL ? known : { since: now(), place: start }
      let before = began.place
      let place: Place | null = began.place
      let pages = 0
      try {
        while (place !== null) {
          remember(key, { since: began.since, place: before })
          const { orders, next }: Page<Order, Place> = await read(place, since({ firstTriedAt }), signal)
          const found = orders.find((order) => hasKey(order, key))
          if (found) {
            places.delete(key)
            return found
          }
          pages += 1
          before = place
          place = next
        }
        places.delete(key)
        return null
      } catch (error) {
        if (pages === 0 || !mayPass(error)) throw error
        throw new UnfinishedLookError(error.message, { code: error.code, cause: error })
      }
    },

    async byKeys(keys: ReadonlySet<string>, from: Instant, signal: AbortSignal): Promise<[key: string, id: string][]> {
      const found: [string, string][] = []
      for (let place: Place | null = start; place !== null; ) {
        const { orders, next }: Page<Order, Place> = await read(place, from, signal)
        for (const order of orders) for (const key of keys) if (hasKey(order, key)) found.push([key, String(order.id)])
        place = next
      }
      return found
    },
  }

  function remember(key: string, place: { since: Instant; place: Place }): void {
    places.set(key, place)
    const [oldest] = places.keys()
    if (places.size > MAX_PLACES && oldest !== undefined) places.delete(oldest)
  }
}

export type KeySearch<Order extends { id: string | number }> = ReturnType<typeof createKeySearch<Order, unknown>>

function mayPass(error: unknown): error is RetryLaterError | UnknownOutcomeError {
  if (error instanceof UnknownOutcomeError) return !error.byHand
  return error instanceof RetryLaterError && error.scope === 'item'
}
