import { and, asc, count, desc, eq, getTableColumns, gt, gte, inArray, isNull, min, sql } from 'drizzle-orm'
import { CAUSE_NAMES, type Road } from '../../domain/ledger/causes.ts'
import type { GapCount, GapFilter, KeptGap, OldestGap } from '../../domain/ledger/gap.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { toKeptGap } from '../json-rows.ts'
import type { EventFilter, EventRow } from '../screens.ts'
import { eventColumns, whereEqual } from './columns.ts'
import type { Db, Dialect } from './dialect.ts'
import { createMatching, eventIdOf, isOutOfPlace } from './matching.ts'

const SAMPLE = 10

export function createGapPages(db: Db, { tables: { gaps } }: Dialect) {
  const { id, road, cause, kind, storeId, destination, day, at, firstSeenAt, state } = gaps
  const columns = getTableColumns(gaps)
  // Word for word the index condition.
  const isOpen = sql`${state} = 'open'`

  const matching = (filter: GapFilter) =>
    and(...whereEqual({ id, state, road, cause, kind, storeId, destination, day }, filter))
  const toExplain = (filter: GapFilter) => matching({ ...filter, state: 'open' })

  return {
    async gaps(filter: GapFilter, after: number, limit: number): Promise<KeptGap[]> {
      const rows = await db
        .select(columns)
        .from(gaps)
        .where(and(matching(filter), gt(id, after)))
        .orderBy(asc(id))
        .limit(limit)
      return rows.map(toKeptGap)
    },

    async oldestGaps(wanted: Road): Promise<OldestGap[]> {
      return await db
        .select({ kind, storeId, destination, cause, at: sql<Instant>`min(${at})`.mapWith(Number), count: count() })
        .from(gaps)
        .where(and(isOpen, eq(road, wanted)))
        .groupBy(kind, storeId, destination, cause)
    },

    async gapCounts(since: Instant): Promise<GapCount[]> {
      const open = await db
        .select({ cause, road, open: count(), oldest: min(firstSeenAt) })
        .from(gaps)
        .where(isOpen)
        .groupBy(cause, road)
      const recent = await db
        .select({ cause, road, recent: count() })
        .from(gaps)
        .where(and(inArray(cause, CAUSE_NAMES), gte(firstSeenAt, since)))
        .groupBy(cause, road)
      const counts = new Map<string, GapCount>()
      for (const one of open) counts.set(one.cause, { ...one, recent: 0 })
      for (const one of recent)
        counts.set(one.cause, { ...(counts.get(one.cause) ?? { ...one, open: 0, oldest: null }), recent: one.recent })
      return [...counts.values()]
    },

    async toExplain(filter: GapFilter): Promise<{ matched: number; sample: KeptGap[] }> {
      const [row] = await db.select({ n: count() }).from(gaps).where(toExplain(filter))
      const sample = await db.select(columns).from(gaps).where(toExplain(filter)).orderBy(desc(id)).limit(SAMPLE)
      return { matched: row?.n ?? 0, sample: sample.map(toKeptGap) }
    },
    async gapRows(ids: number[]): Promise<KeptGap[]> {
      const rows = await db.select(columns).from(gaps).where(inArray(id, ids)).orderBy(desc(id))
      return rows.map(toKeptGap)
    },

    /** Oldest first. */
    async idsToExplain(filter: GapFilter, after: number, limit: number): Promise<number[]> {
      const rows = await db
        .select({ id })
        .from(gaps)
        .where(and(toExplain(filter), gt(id, after)))
        .orderBy(asc(id))
        .limit(limit)
      return rows.map((row) => row.id)
    },
  }
}

const SAMPLE_OF_EVENTS = 10

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
        .limit(SAMPLE_OF_EVENTS)
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
