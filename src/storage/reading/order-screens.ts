import { and, asc, eq, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { idsOfOrder, KINDS_OF_ORDER } from '../../domain/orders/link.ts'
import { orderEntity } from '../../domain/orders/order-facts.ts'
import type { DeliveryDetail, LookupRow, OrderHistory, OverdueRow } from '../rows.ts'
import type { Tables } from '../schema.ts'
import { createDetails, detailColumns } from './act-screens.ts'
import { deliveryColumns, eventColumns, linkColumns } from './columns.ts'
import type { Db, Dialect } from './dialect.ts'
import { isAbout, isUnsettled } from './matching.ts'
import { withPast } from './moving-past.ts'

const MAX_ROWS = 1_000

export function createOrderScreens(db: Db, dialect: Dialect) {
  const { tables, isAtOrBelow, isTrue } = dialect
  const { deliveries, events, links, lookups, submissions } = tables
  const all = withPast(dialect).tables
  const detailsOf = createDetails(db, dialect)

  function eventsOf(entity: string): Promise<OrderHistory['events']> {
    const { id, system, resource, key } = submissions
    return db
      .select({ ...eventColumns(tables), submission: { id, system, resource, key } })
      .from(events)
      .leftJoin(submissions, eq(submissions.id, events.submission))
      .where(isAbout(dialect, events.entity, entity))
      .orderBy(asc(events.id))
      .limit(MAX_ROWS)
  }

  async function deliveriesOf(entities: string[], eventIds: number[]): Promise<DeliveryDetail[]> {
    const of = (where: SQL | undefined, those: Tables) =>
      db
        .select(detailColumns(those))
        .from(those.deliveries)
        .innerJoin(events, eq(events.id, those.deliveries.eventId))
        .where(where)
        .orderBy(asc(those.deliveries.id))
        .limit(MAX_ROWS)
    const rows = [
      ...(eventIds.length > 0 ? await of(inArray(all.deliveries.eventId, eventIds), all) : []),
      ...(await Promise.all(entities.map((entity) => of(isAbout(dialect, deliveries.entity, entity), tables)))).flat(),
    ]
    const once = [...new Map(rows.map((row) => [row.id, row])).values()]
    return await detailsOf(sorted(once))
  }

  function linksOf(number: string): Promise<OrderHistory['links']> {
    return db
      .select(linkColumns(tables))
      .from(links)
      .where(and(inArray(links.kind, [...KINDS_OF_ORDER]), isAtOrBelow(links.id, number)))
      .orderBy(asc(links.kind), asc(links.id), asc(links.destination), asc(links.theirId))
      .limit(MAX_ROWS)
  }

  async function lookupsOf(asked: string): Promise<LookupRow[]> {
    const { id, at, number, found, missing, ms } = lookups
    const rows = await db
      .select({ at, number, found, missing, ms })
      .from(lookups)
      .where(eq(number, asked))
      .orderBy(asc(id))
      .limit(MAX_ROWS)
    return rows.map((row) => ({ ...row, found: JSON.parse(row.found), missing: JSON.parse(row.missing) }))
  }

  function overdueOf(flow: string, before: number, limit: number): Promise<OverdueRow[]> {
    const { effect } = deliveries
    const reported = sql`exists (select 1 from ${deliveries} t where t.effect = ${effect} and t.effect is not null
      and t.id <> ${deliveries.id} and t.state = 'delivered')`
    return db
      .select({
        ...deliveryColumns(tables),
        effect,
        receivedAt: events.receivedAt,
        reported: reported.mapWith(Boolean),
      })
      .from(deliveries)
      .innerJoin(events, eq(events.id, deliveries.eventId))
      .where(
        and(eq(deliveries.flow, flow), isTrue(deliveries.once), isUnsettled(tables), lt(events.receivedAt, before)),
      )
      .orderBy(asc(deliveries.id))
      .limit(limit)
  }

  return {
    /** A web order and an order of a POS may share the number. */
    async order(number: string): Promise<OrderHistory> {
      const ids = idsOfOrder(number)
      const entities = ids.map(orderEntity)
      const about = sorted((await Promise.all(entities.map(eventsOf))).flat())
      const eventIds = about.map(({ id }) => id)
      return {
        events: about,
        deliveries: await deliveriesOf(entities, eventIds),
        links: (await Promise.all(ids.map(linksOf))).flat(),
        lookups: await lookupsOf(number),
      }
    },

    async overdue(flows: readonly { flow: string; before: number }[], limit: number): Promise<OverdueRow[]> {
      const rows: OverdueRow[] = []
      for (const { flow, before } of flows) rows.push(...(await overdueOf(flow, before, limit)))
      return rows.sort((a, b) => a.receivedAt - b.receivedAt || a.id - b.id).slice(0, limit)
    },
  }
}

function sorted<Row extends { id: number }>(rows: Row[]): Row[] {
  return rows.sort((a, b) => a.id - b.id)
}
