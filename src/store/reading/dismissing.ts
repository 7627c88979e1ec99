import { and, asc, count, desc, gt, inArray, isNull } from 'drizzle-orm'
import type { EventFilter, EventRow } from '../screens.ts'
import { eventColumns } from './columns.ts'
import type { Db, Dialect } from './dialect.ts'
import { createMatching, eventIdOf, isOutOfPlace } from './matching.ts'

const SAMPLE = 10

export function createDismissing(db: Db, dialect: Dialect) {
  const { tables } = dialect
  const { events } = tables
  const matching = createMatching(dialect)
  const toDismiss = (filter: EventFilter) =>
    and(matching.events(filter), isOutOfPlace(tables), isNull(events.dismissedAt))

  const idOf = (filter: EventFilter) => eventIdOf(tables, { ...filter, dismissed: false })

  return {
    async toDismiss(filter: EventFilter): Promise<{ matched: number; sample: EventRow[] }> {
      const where = toDismiss(filter)
      const [row] = await db.select({ n: count() }).from(events).where(where)
      const sample = await db
        .select(eventColumns(tables))
        .from(events)
        .where(where)
        .orderBy(desc(idOf(filter)))
        .limit(SAMPLE)
      return { matched: row?.n ?? 0, sample }
    },

    /** Newest first. */
    async eventRows(ids: number[]): Promise<EventRow[]> {
      if (ids.length === 0) return []
      return await db.select(eventColumns(tables)).from(events).where(inArray(events.id, ids)).orderBy(desc(events.id))
    },

    /** Oldest first. */
    async idsToDismiss(filter: EventFilter, after: number, limit: number): Promise<number[]> {
      const rows = await db
        .select({ id: events.id })
        .from(events)
        .where(and(toDismiss(filter), gt(idOf(filter), after)))
        .orderBy(asc(idOf(filter)))
        .limit(limit)
      return rows.map(({ id }) => id)
    },
  }
}
