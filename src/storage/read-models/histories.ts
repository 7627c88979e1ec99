import { and, asc, type Column, desc, eq, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm'
import { idsOfOrder, KINDS_OF_ORDER } from '../../domain/orders/link.ts'
import { orderEntity } from '../../domain/orders/order-facts.ts'
import { withoutSealed } from '../../domain/privacy/notice.ts'
import type {
  ActDetail,
  ActFilter,
  AuditEntry,
  AuditRow,
  DeliveryDetail,
  DeliveryRow,
  EventAuditEntry,
  LookupRow,
  OrderHistory,
  OverdueRow,
} from '../rows.ts'
import type { RowOf, Tables } from '../schema.ts'
import { type Db, type Dialect, deliveryColumns, eventColumns, linkColumns, selectDeliveries } from './dialect.ts'
import { isAbout, isUnsettled } from './selecting.ts'

const PAGE = 50
const SHOWN = 20
const MAX_ROWS = 1_000

export function createAuditLists(db: Db, { tables }: Dialect) {
  const { audit, auditDeliveries, auditEvents, deliveries, events } = tables

  return {
    async acts({ by, action, since, until, limit }: ActFilter): Promise<AuditRow[]> {
      const rows = await db
        .select(actColumns(tables))
        .from(audit)
        .where(
          and(
            by === undefined ? undefined : or(eq(audit.by, by), isSaidBy(audit.by, by)),
            action === undefined ? undefined : eq(audit.action, action),
            since === undefined ? undefined : gte(audit.at, since),
            until === undefined ? undefined : lt(audit.at, until),
          ),
        )
        .orderBy(desc(audit.at), desc(audit.id))
        .limit(limit ?? PAGE)
      return rows.map(shown)
    },

    async act(id: number): Promise<ActDetail | null> {
      const [row] = await db.select(actColumns(tables)).from(audit).where(eq(audit.id, id))
      if (!row) return null
      return {
        ...shown(row),
        deliveries: await db
          .select(deliveryColumns(tables))
          .from(auditDeliveries)
          .innerJoin(deliveries, eq(deliveries.id, auditDeliveries.deliveryId))
          .innerJoin(events, eq(events.id, deliveries.eventId))
          .where(eq(auditDeliveries.auditId, id))
          .orderBy(asc(auditDeliveries.deliveryId))
          .limit(SHOWN),
        events: await db
          .select(eventColumns(tables))
          .from(auditEvents)
          .innerJoin(events, eq(events.id, auditEvents.eventId))
          .where(eq(auditEvents.auditId, id))
          .orderBy(asc(auditEvents.eventId))
          .limit(SHOWN),
      }
    },
  }
}

async function deedsOf(db: Db, tables: Tables, deliveries: readonly number[]): Promise<Map<number, AuditEntry[]>> {
  const { deliveryId, auditId } = tables.auditDeliveries
  const rows = await db
    .select({ deliveryId, row: deedColumns(tables) })
    .from(tables.auditDeliveries)
    .innerJoin(tables.audit, eq(tables.audit.id, auditId))
    .where(inArray(deliveryId, [...deliveries]))
    .orderBy(asc(auditId))
  return byDelivery(rows)
}

function byDelivery<Row>(rows: readonly { deliveryId: number; row: Row }[]): Map<number, Row[]> {
  const groups = Map.groupBy(rows, ({ deliveryId }) => deliveryId)
  return new Map([...groups].map(([id, group]) => [id, group.map(({ row }) => row)]))
}

/** On the event, and on its deliveries. */
export async function deedsOfEvent(
  db: Db,
  tables: Tables,
  event: number,
  deliveries: readonly number[],
): Promise<EventAuditEntry[]> {
  const { audit, auditEvents } = tables
  const own = await db
    .select(deedColumns(tables))
    .from(auditEvents)
    .innerJoin(audit, eq(audit.id, auditEvents.auditId))
    .where(eq(auditEvents.eventId, event))
    .orderBy(asc(auditEvents.auditId))
    .limit(MAX_ROWS)
  const theirs = deliveries.length > 0 ? await deedsOf(db, tables, deliveries) : []
  return [
    ...own.map((entry) => ({ ...entry, delivery: null })),
    ...[...theirs].flatMap(([delivery, deeds]) => deeds.map((entry) => ({ ...entry, delivery }))),
  ].sort((a, b) => a.act - b.act)
}

/** An erasure's identifiers are sealed (domain/privacy/notice.ts). */
function shown<Row extends { selection: string }>(row: Row): Row {
  return { ...row, selection: withoutSealed(row.selection) }
}

function actColumns({ audit }: Tables) {
  const { id, at, by, action, reason, selection, changed, refused, role, address } = audit
  return { id, at, by, action, reason, selection, changed, refused, role, address }
}

function deedColumns({ audit }: Tables) {
  const { id, at, by, action, reason, changed } = audit
  return { act: id, at, by, action, reason, changed }
}

/** Also what a token's client added: `admin (says kari)`. */
function isSaidBy(column: Column, holder: string): SQL {
  return sql`${column} like ${`${holder.replaceAll(/[\\%_]/g, '\\$&')} (says %`} escape '\\'`
}

export function detailColumns(tables: Tables) {
  const { effect, released, tookMs, tookNote } = tables.deliveries
  return { ...deliveryColumns(tables), effect, released, tookMs, tookNote }
}

type DetailRow = DeliveryRow & Pick<RowOf<'deliveries'>, 'effect' | 'released' | 'tookMs' | 'tookNote'>

function firstOf({ firstTriedAt, code, tookMs, tookNote }: DetailRow): DeliveryDetail['attempts'] {
  if (tookMs === null || firstTriedAt === null) return []
  return [{ at: firstTriedAt, ms: tookMs, outcome: 'delivered', code: code ?? 'delivered', note: tookNote }]
}

export async function detailsOf(db: Db, dialect: Dialect, rows: readonly DetailRow[]): Promise<DeliveryDetail[]> {
  if (rows.length === 0) return []
  const { tables, attemptsOfInstant } = dialect
  const { deliveryId, at, ms, outcome, code, note } = tables.attempts
  const ids = rows.map(({ id }) => id)
  const attempts = await db
    .select({ deliveryId, row: { at, ms, outcome, code, note } })
    .from(tables.attempts)
    .where(inArray(deliveryId, ids))
    .orderBy(asc(at), ...attemptsOfInstant)
  const tries = byDelivery(attempts)
  const deeds = await deedsOf(db, tables, ids)
  return rows.map((row) => {
    const { tookMs: _, tookNote: __, ...shown } = row
    return {
      ...shown,
      released: row.released === null ? null : JSON.parse(row.released),
      attempts: [...firstOf(row), ...(tries.get(row.id) ?? [])].sort((a, b) => a.at - b.at),
      audit: deeds.get(row.id) ?? [],
    }
  })
}

export function createOrderHistory(db: Db, dialect: Dialect) {
  const { tables, isAtOrBelow, isTrue } = dialect
  const { deliveries, events, links, lookups, submissions } = tables

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
    const of = (where: SQL | undefined) =>
      selectDeliveries(db, tables, detailColumns(tables)).where(where).orderBy(asc(deliveries.id)).limit(MAX_ROWS)
    const rows = [
      ...(eventIds.length > 0 ? await of(inArray(deliveries.eventId, eventIds)) : []),
      ...(await Promise.all(entities.map((entity) => of(isAbout(dialect, deliveries.entity, entity))))).flat(),
    ]
    const once = [...new Map(rows.map((row) => [row.id, row])).values()]
    return await detailsOf(db, dialect, sorted(once))
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
    const more = { effect, receivedAt: events.receivedAt, reported: reported.mapWith(Boolean) }
    return selectDeliveries(db, tables, { ...deliveryColumns(tables), ...more })
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
