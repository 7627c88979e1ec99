import { asc, gte, max, min } from 'drizzle-orm'
import type { Instant } from '../../../domain/values/instant.ts'
import type { EventFilter } from '../../screens.ts'
import type { Db, Dialect } from '../dialect.ts'
import { type Span, STRETCH } from './stretches.ts'

/** Bounds of lists read in stretches. */
export function createSpans(db: Db, { tables: { deliveries, events, pastDeliveries } }: Dialect) {
  const { id, receivedAt } = events

  async function ends(): Promise<{ first: number; last: number }> {
    const [oldest] = await db.select({ id: min(id) }).from(events)
    const [newest] = await db.select({ id: max(id) }).from(events)
    return { first: oldest?.id ?? 0, last: newest?.id ?? 0 }
  }

  /** Binary search, as far as ids follow time. */
  async function firstSince(instant: Instant, first: number, last: number): Promise<number> {
    let [low, high] = [first, last + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const [row] = await db.select({ id, receivedAt }).from(events).where(gte(id, middle)).orderBy(asc(id)).limit(1)
      if (!row || row.receivedAt >= instant) high = middle
      else low = row.id + 1
    }
    return low
  }

  return {
    /** With a stretch of margin: hubs and clock changes blur the order. */
    async eventSpan({ since, until }: Pick<EventFilter, 'since' | 'until'>): Promise<Span> {
      const { first, last } = await ends()
      const floor = since === undefined ? first - 1 : (await firstSince(since, first, last)) - 1 - STRETCH
      const below = until === undefined ? last + 1 : (await firstSince(until, first, last)) + STRETCH
      return { floor: Math.max(first - 1, floor), below: Math.min(last + 1, below) }
    },

    /** Deliveries are not in time order: an old event may get a new one. */
    async deliverySpan(): Promise<Span> {
      const [oldest] = await db.select({ id: min(deliveries.id) }).from(deliveries)
      const [past] = await db.select({ id: min(pastDeliveries.id) }).from(pastDeliveries)
      const [newest] = await db.select({ id: max(deliveries.id) }).from(deliveries)
      // The newest one is never archived.
      return {
        floor: Math.min(oldest?.id ?? 1, past?.id ?? Number.POSITIVE_INFINITY) - 1,
        below: (newest?.id ?? 0) + 1,
      }
    },
  }
}
