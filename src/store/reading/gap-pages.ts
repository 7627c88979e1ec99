import { and, asc, count, eq, gt, gte, inArray, min, type SQL, sql } from 'drizzle-orm'
import { CAUSE_NAMES, type Road } from '../../domain/ledger/causes.ts'
import type { GapCount, GapFilter, KeptGap, OldestGap } from '../../domain/ledger/gap.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { toKeptGap } from '../json-rows.ts'
import type { Tables } from '../schema.ts'
import { whereEqual } from './columns.ts'
import type { Db, Dialect } from './dialect.ts'

export function createGapPages(db: Db, { tables: { gaps } }: Dialect) {
  const { id, road, cause, kind, storeId, destination, at, firstSeenAt, state } = gaps
  // Word for word the index condition.
  const isOpen = sql`${state} = 'open'`

  return {
    async gaps(filter: GapFilter, after: number, limit: number): Promise<KeptGap[]> {
      const rows = await db
        .select()
        .from(gaps)
        .where(and(gapsMatching(gaps, filter), gt(id, after)))
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
  }
}

export function gapsMatching(gaps: Tables['gaps'], filter: GapFilter): SQL | undefined {
  const { id, state, road, cause, kind, storeId, destination, day } = gaps
  return and(...whereEqual({ id, state, road, cause, kind, storeId, destination, day }, filter))
}
