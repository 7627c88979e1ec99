import { and, asc, count, desc, eq, inArray, isNotNull, isNull, max, type SQL, sql } from 'drizzle-orm'
import type { DestinationStatus, LevelState, StorageStatus } from '../rows.ts'
import type { Db, Dialect } from './dialect.ts'
import { isOutOfPlace, isUnsettled } from './matching.ts'

export function createStatusScreen(db: Db, { tables }: Dialect) {
  const { deliveries, events } = tables

  /** Index only: thousands of dead ones would be scattered over the table. */
  async function destinations(): Promise<DestinationStatus[]> {
    const { destination, urgency, state, tries, eventId } = deliveries
    const inState = (...states: string[]) => sql`count(*) filter (where ${state} in ${states})`.mapWith(Number)
    const firstIn = (...states: string[]) =>
      sql`min(${eventId}) filter (where ${state} in ${states})`.mapWith(Number) as SQL<number | null>
    const retrying = sql`count(*) filter (where ${state} = 'waiting' and ${tries} > 0)`.mapWith(Number)
    const rows = await db
      .select({
        destination,
        urgency,
        waiting: inState('waiting', 'claimed'),
        retrying,
        held: inState('held'),
        dead: inState('dead'),
        firstWaiting: firstIn('waiting', 'claimed'),
        firstHeld: firstIn('held'),
      })
      .from(deliveries)
      .where(isUnsettled(tables))
      .groupBy(destination, urgency)
      .orderBy(asc(destination), asc(urgency))
    const ids = rows.flatMap(({ firstWaiting, firstHeld }) => [firstWaiting ?? [], firstHeld ?? []].flat())
    const received = await db
      .select({ id: events.id, at: events.receivedAt })
      .from(events)
      .where(inArray(events.id, ids))
    const at = new Map(received.map((event) => [event.id, event.at]))
    const takenAt = (id: number | null) => (id === null ? null : (at.get(id) ?? null))
    return rows.map(({ firstWaiting, firstHeld, ...row }) => ({
      ...row,
      oldest: takenAt(lesser(firstWaiting, firstHeld)),
      oldestWaiting: takenAt(firstWaiting),
      oldestHeld: takenAt(firstHeld),
    }))
  }

  async function countByState(which: SQL | undefined): Promise<Map<string, number>> {
    const rows = await db.select({ state: events.state, n: count() }).from(events).where(which).groupBy(events.state)
    return new Map(rows.map(({ state, n }) => [state, n]))
  }

  return {
    async status(): Promise<StorageStatus> {
      const rejected = await countByState(and(isOutOfPlace(tables), isNull(events.dismissedAt)))
      const conflicts = await countByState(and(isNotNull(events.conflictWith), isNull(events.dismissedAt)))
      const [reused] = await db
        .select({ count: count(), last: max(events.receivedAt) })
        .from(events)
        .where(isNotNull(events.sameKeyAs))
      return {
        destinations: await destinations(),
        events: {
          unrouted: (rejected.get('unrouted') ?? 0) - (conflicts.get('unrouted') ?? 0),
          quarantined: rejected.get('quarantined') ?? 0,
          conflicts: [...conflicts.values()].reduce((all, n) => all + n, 0),
          reusedKeys: { count: reused?.count ?? 0, last: reused?.last ?? null },
        },
      }
    },
  }
}

function lesser(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}

export function createLevelScreen(db: Db, dialect: Dialect) {
  const { acknowledged, deliveries } = dialect.tables
  const { id, state } = deliveries

  async function newest(destination: string, flow: string, entity: string, index: SQL | undefined) {
    const isIt = and(eq(deliveries.destination, destination), eq(deliveries.entity, entity), eq(deliveries.flow, flow))
    const [row] = await db.select({ id, state }).from(deliveries).where(and(index, isIt)).orderBy(desc(id)).limit(1)
    return row
  }

  return {
    async levelState(destination: string, flow: string, entity: string): Promise<LevelState | null> {
      const undone = await newest(destination, flow, entity, dialect.isUndone())
      const held = await newest(destination, flow, entity, and(isUnsettled(dialect.tables), eq(state, 'held')))
      const last = [undone, held].flatMap((row) => row ?? []).sort((a, b) => b.id - a.id)[0]
      if (last) return { delivery: last.id, state: last.state }
      const [row] = await db
        .select({ flow: acknowledged.flow })
        .from(acknowledged)
        .where(
          and(eq(acknowledged.destination, destination), eq(acknowledged.flow, flow), eq(acknowledged.subject, entity)),
        )
      return row ? { delivery: null, state: 'delivered' } : null
    },
  }
}
