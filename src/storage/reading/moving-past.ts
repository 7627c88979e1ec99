import { asc, eq, gt, inArray, max, TableAliasProxyHandler } from 'drizzle-orm'
import type { Instant } from '../../domain/values/instant.ts'
import type { DeliveryFilter } from '../rows.ts'
import { isYoung } from '../rows.ts'
import { asPast, type PastDelivery, SETTLED_COLUMNS } from '../tables/past.ts'
import { pick } from './columns.ts'
import type { Db, Dialect } from './dialect.ts'
import { isOrder } from './stretches.ts'

/**
 * A dialect whose `deliveries` is the view `all_deliveries`, with archived ones. Unsettled, skipped, orders' ones and
 * those with an effect are never archived: they are read by the table's own indexes.
 */
export function withPast(dialect: Dialect): Dialect {
  const { deliveries } = dialect.tables
  const all = new Proxy(deliveries, new TableAliasProxyHandler<typeof deliveries>('all_deliveries', true))
  return { ...dialect, tables: { ...dialect.tables, deliveries: all } }
}

export function mayBePast({ state = 'delivered', entity }: DeliveryFilter): boolean {
  return state === 'delivered' && !isOrder(entity)
}

export interface ToMove {
  moves: PastDelivery[]
  after: number | null
}

export function createMovingPast(db: Db, { tables }: Dialect) {
  const { attempts, auditDeliveries, deliveries, events } = tables
  const { id, eventId } = deliveries
  const columns = { ...pick(deliveries, SETTLED_COLUMNS), event: eventId, eventEntity: events.entity }

  async function named(ids: number[]): Promise<Set<number>> {
    const tried = await db.select({ id: attempts.deliveryId }).from(attempts).where(inArray(attempts.deliveryId, ids))
    const touched = await db
      .select({ id: auditDeliveries.deliveryId })
      .from(auditDeliveries)
      .where(inArray(auditDeliveries.deliveryId, ids))
    return new Set([...tried, ...touched].map((row) => row.id))
  }

  return {
    async toMovePast(after: number, before: Instant, limit: number): Promise<ToMove> {
      const rows = await db
        .select(columns)
        .from(deliveries)
        .innerJoin(events, eq(events.id, eventId))
        .where(gt(id, after))
        .orderBy(asc(id))
        .limit(limit)
      const young = rows.findIndex(({ settledAt }) => settledAt !== null && isYoung(settledAt, before))
      const old = young < 0 ? rows : rows.slice(0, young)
      const [newest] = await db.select({ id: max(id) }).from(deliveries)
      const those = old.flatMap((row) => (row.id === newest?.id ? [] : (asPast(row) ?? [])))
      const names = those.length === 0 ? new Set() : await named(those.map((one) => one.id))
      const last = old.at(-1)?.id ?? null
      return {
        moves: those.filter((one) => !names.has(one.id)),
        after: young < 0 && rows.length === limit ? last : null,
      }
    },
  }
}
