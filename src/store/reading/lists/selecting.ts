import { and, asc, type Column, count, desc, eq, gt, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { UNSETTLED } from '../../../domain/queue/delivery.ts'
import type { DeliveryFilter, DeliveryRow, OwedByFlow } from '../../screens.ts'
import { deliveryColumns } from '../columns.ts'
import type { Db, Dialect } from '../dialect.ts'
import { createMatching, deliveryIdOf, isUnsettled, type Touched } from '../matching.ts'
import { isFew, type Stretch } from './stretches.ts'

const PAGE = 50

/** Newest first; `stretch`: ids to read where no index answers. */
export function createListing(db: Db, dialect: Dialect) {
  const { tables } = dialect
  const matching = createMatching(dialect)
  const select = createDeliveryRows(db, dialect)

  return async (filter: DeliveryFilter, stretch: Stretch | null = null): Promise<DeliveryRow[]> => {
    const where = and(matching.deliveries(filter), within(tables.deliveries, stretch))
    return await select(where, filter.limit ?? PAGE, deliveryIdOf(tables, filter))
  }
}

function createDeliveryRows(db: Db, { tables }: Dialect) {
  const { deliveries, events } = tables
  return (where: SQL | undefined, limit: number, id: SQL | Column): Promise<DeliveryRow[]> =>
    db
      .select(deliveryColumns(tables))
      .from(deliveries)
      .innerJoin(events, eq(events.id, deliveries.eventId))
      .where(where)
      .orderBy(desc(id))
      .limit(limit)
}

export function within({ id }: { id: Column }, stretch: Stretch | null): SQL | undefined {
  return stretch === null ? undefined : and(gt(id, stretch.above), lt(id, stretch.below))
}

const SAMPLE = 10

interface Part {
  where: SQL | undefined
  id: SQL
}

/** What an operator's command would touch: unsettled and skipped ones, each by its index. */
export function createSelecting(db: Db, dialect: Dialect) {
  const { tables } = dialect
  const { deliveries, events } = tables
  const matching = createMatching(dialect)

  const selectDeliveries = createDeliveryRows(db, dialect)

  function partsOf(filter: DeliveryFilter, { states, ...more }: Touched): Part[] {
    const left = states.filter((state) => filter.state === undefined || state === filter.state)
    const part = (some: typeof left, id: SQL, index?: SQL): Part[] => {
      const touched = matching.touched({ states: some, ...more })
      return some.length === 0 ? [] : [{ where: and(matching.deliveries(filter), index, touched), id }]
    }
    const own = sql`${deliveries.id}`
    // As an expression: else SQLite would scan by id rather than use the index of few.
    const few = sql`+${deliveries.id}`
    if (isFew(filter)) return part(left, own)
    const unsettled = left.filter((state) => UNSETTLED.has(state))
    const skipped = left.filter((state) => state === 'skipped')
    return [...part(unsettled, few, isUnsettled(tables)), ...part(skipped, own)]
  }

  /** One pass: the kind is in the event. */
  async function countAndNewest({ where, id }: Part, filter: DeliveryFilter) {
    const all = db.select({ id: deliveries.id, n: sql`count(*) over ()`.mapWith(Number) }).from(deliveries)
    const joined = isOfEvents(filter) ? all.innerJoin(events, eq(events.id, deliveries.eventId)) : all
    const newest = await joined.where(where).orderBy(desc(id)).limit(SAMPLE)
    return { count: newest[0]?.n ?? 0, ids: newest.map((row) => row.id) }
  }

  async function rowsOf(ids: number[]): Promise<DeliveryRow[]> {
    return ids.length === 0 ? [] : await selectDeliveries(inArray(deliveries.id, ids), ids.length, deliveries.id)
  }

  return {
    async matching(filter: DeliveryFilter, touched: Touched): Promise<{ matched: number; sample: DeliveryRow[] }> {
      let matched = 0
      const ids: number[] = []
      for (const part of partsOf(filter, touched)) {
        const found = await countAndNewest(part, filter)
        matched += found.count
        ids.push(...found.ids)
      }
      return { matched, sample: await rowsOf(ids.sort((a, b) => b - a).slice(0, SAMPLE)) }
    },

    rows: rowsOf,

    async owedByFlow(filter: DeliveryFilter): Promise<OwedByFlow[]> {
      const { flow } = deliveries
      const counts: OwedByFlow[] = []
      for (const { where } of partsOf(filter, { states: [...UNSETTLED] })) {
        const all = db.select({ flow, deliveries: count() }).from(deliveries)
        const joined = isOfEvents(filter) ? all.innerJoin(events, eq(events.id, deliveries.eventId)) : all
        counts.push(...(await joined.where(where).groupBy(flow).orderBy(asc(flow))))
      }
      return counts
    },

    /** Oldest first. */
    async ids(filter: DeliveryFilter, touched: Touched, after: number, limit: number): Promise<number[]> {
      const all: number[] = []
      for (const { where, id } of partsOf(filter, touched)) {
        const rows = await db
          .select({ id: deliveries.id })
          .from(deliveries)
          .innerJoin(events, eq(events.id, deliveries.eventId))
          .where(and(where, gt(id, after)))
          .orderBy(asc(id))
          .limit(limit)
        all.push(...rows.map((row) => row.id))
      }
      return all.sort((a, b) => a - b).slice(0, limit)
    },
  }
}

function isOfEvents({ kind, since, until }: DeliveryFilter): boolean {
  return kind !== undefined || since !== undefined || until !== undefined
}
