import { and, asc, count, eq, isNotNull, isNull, max, sql } from 'drizzle-orm'
import type { DestinationStatus, StoreStatus } from '../screens.ts'
import type { Db, Dialect } from './dialect.ts'
import { isOutOfPlace, isUnsettled } from './matching.ts'

/** Counts what is not settled well, from the indexes that hold nothing else. */
export function createStatusScreen(db: Db, { tables }: Dialect) {
  const { deliveries, events } = tables

  function destinations(): Promise<DestinationStatus[]> {
    const { destination, urgency, state, tries } = deliveries
    const inState = (...states: string[]) => sql`count(*) filter (where ${state} in ${states})`.mapWith(Number)
    const retrying = sql`count(*) filter (where ${state} = 'waiting' and ${tries} > 0)`.mapWith(Number)
    const oldest = sql`min(${events.receivedAt}) filter (where ${state} <> 'dead')`.mapWith(Number)
    return db
      .select({
        destination,
        urgency,
        waiting: inState('waiting', 'claimed'),
        retrying,
        held: inState('held'),
        dead: inState('dead'),
        // Null where all of them are dead, whatever its type says.
        oldest,
      })
      .from(deliveries)
      .innerJoin(events, eq(events.id, deliveries.eventId))
      .where(isUnsettled(tables))
      .groupBy(destination, urgency)
      .orderBy(asc(destination), asc(urgency))
  }

  return {
    async status(): Promise<StoreStatus> {
      const isConflict = isNotNull(events.conflictWith)
      const counted = await db
        .select({ state: events.state, conflict: isConflict.mapWith(Boolean), n: count() })
        .from(events)
        .where(and(isOutOfPlace(tables), isNull(events.dismissedAt)))
        .groupBy(events.state, isConflict)
      const total = (match: (row: (typeof counted)[number]) => boolean) =>
        counted.filter(match).reduce((all, row) => all + row.n, 0)
      const [reused] = await db
        .select({ count: count(), last: max(events.receivedAt) })
        .from(events)
        .where(isNotNull(events.sameKeyAs))
      return {
        destinations: await destinations(),
        events: {
          unrouted: total((row) => row.state === 'unrouted' && !row.conflict),
          quarantined: total((row) => row.state === 'quarantined'),
          conflicts: total((row) => row.conflict),
          reusedKeys: { count: reused?.count ?? 0, last: reused?.last ?? null },
        },
      }
    },
  }
}
