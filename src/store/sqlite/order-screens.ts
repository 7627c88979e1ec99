import { and, asc, eq, getTableColumns, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { orderEntity } from '../../domain/order-facts.ts'
import type { DeliveryDetail, DeliveryRow, LookupRow, OrderHistory, OverdueRow } from '../screens.ts'
import { deliveries, events, links, lookups, submissions } from './schema.ts'
import { deliveryColumns, eventColumns } from './screen-columns.ts'

/** More than any order has. */
const MOST = 1_000

/** What people read about orders, as drizzle queries. `detailOf` adds tries and audit to a row. */
export function createOrderScreens(db: BetterSQLite3Database, detailOf: (row: DeliveryRow) => DeliveryDetail) {
  function eventsOf(entity: string): OrderHistory['events'] {
    const { id, system, resource, key } = submissions
    return db
      .select({ ...eventColumns, submission: { id, system, resource, key } })
      .from(events)
      .leftJoin(submissions, eq(submissions.id, events.submission))
      .where(and(eq(events.entity, entity), isOfOrder(events.entity)))
      .orderBy(asc(events.id))
      .limit(MOST)
      .all()
  }

  /** Two questions, so that each has its index. */
  function deliveriesOf(entity: string, eventIds: number[]): DeliveryDetail[] {
    const of = (where: SQL | undefined) =>
      db
        .select(deliveryColumns)
        .from(deliveries)
        .innerJoin(events, eq(events.id, deliveries.eventId))
        .where(where)
        .orderBy(asc(deliveries.id))
        .limit(MOST)
        .all()
    const rows = [
      ...(eventIds.length > 0 ? of(inArray(deliveries.eventId, eventIds)) : []),
      ...of(and(eq(deliveries.entity, entity), isOfOrder(deliveries.entity))),
    ]
    const once = [...new Map(rows.map((row) => [row.id, row])).values()]
    return once.sort((a, b) => a.id - b.id).map(detailOf)
  }

  function linksOf(number: string): OrderHistory['links'] {
    return db
      .select()
      .from(links)
      .where(
        and(
          // As its index has it, to the letter.
          sql`${links.kind} in ('order', 'draft', 'shipment', 'refund', 'declined', 'returned')`,
          // One range of the index. "0" is the character after "/".
          gte(links.id, number),
          lt(links.id, `${number}0`),
          or(eq(links.id, number), gte(links.id, `${number}/`)),
        ),
      )
      .orderBy(asc(links.kind), asc(links.id), asc(links.destination))
      .limit(MOST)
      .all()
  }

  function lookupsOf(number: string): LookupRow[] {
    const { id, ...columns } = getTableColumns(lookups)
    const rows = db.select(columns).from(lookups).where(eq(lookups.number, number)).orderBy(asc(id)).limit(MOST).all()
    return rows.map(({ found, missing, ...row }) => ({
      ...row,
      found: JSON.parse(found),
      missing: JSON.parse(missing),
    }))
  }

  /** The oldest of one flow. */
  function overdueOf(flow: string, before: number, limit: number): OverdueRow[] {
    const { effect } = deliveries
    const told = sql`exists (select 1 from deliveries t where t.effect = ${effect} and t.effect is not null
      and t.id <> ${deliveries.id} and t.state = 'delivered')`
    return db
      .select({ ...deliveryColumns, receivedAt: events.receivedAt, effect, told: told.mapWith(Boolean) })
      .from(deliveries)
      .innerJoin(events, eq(events.id, deliveries.eventId))
      .where(
        and(
          eq(deliveries.flow, flow),
          sql`${deliveries.once} = 1 and ${deliveries.state} in ('waiting', 'claimed', 'held', 'dead')`,
          lt(events.receivedAt, before),
        ),
      )
      .orderBy(asc(deliveries.id))
      .limit(limit)
      .all()
  }

  return {
    order(number: string): OrderHistory {
      const entity = orderEntity(number)
      const about = eventsOf(entity)
      const eventIds = about.map(({ id }) => id)
      return {
        events: about,
        deliveries: deliveriesOf(entity, eventIds),
        links: linksOf(number),
        lookups: lookupsOf(number),
      }
    },

    overdue(flows: readonly { flow: string; before: number }[], limit: number): OverdueRow[] {
      const rows = flows.flatMap(({ flow, before }) => overdueOf(flow, before, limit))
      return rows.sort((a, b) => a.receivedAt - b.receivedAt || a.id - b.id).slice(0, limit)
    },
  }
}

/** What the indexes of orders hold. */
function isOfOrder(entity: typeof events.entity | typeof deliveries.entity): SQL {
  return sql`${entity} glob 'order:*'`
}
