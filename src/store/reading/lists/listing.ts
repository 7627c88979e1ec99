import { and, type Column, desc, eq, gt, lt, type SQL } from 'drizzle-orm'
import type { DeliveryFilter, DeliveryRow } from '../../screens.ts'
import { deliveryColumns } from '../columns.ts'
import type { Db, Dialect } from '../dialect.ts'
import { createMatching, deliveryIdOf } from '../matching.ts'
import type { Stretch } from './stretches.ts'

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

export function createDeliveryRows(db: Db, { tables }: Dialect) {
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
