import { and, type Column, desc, eq, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm'
import { idsOfOrder, KINDS_OF_ORDER } from '../../domain/orders/link.ts'
import { orderEntity } from '../../domain/orders/order-facts.ts'
import { withoutSealed } from '../../domain/privacy/notice.ts'
import type {
  ActDetail,
  ActFilter,
  AuditRow,
  DeliveryDetail,
  DeliveryRow,
  EventAuditEntry,
  EventRow,
  LookupRow,
  OrderHistory,
  OverdueRow,
} from '../rows.ts'
import type { RowOf, Tables } from '../schema.ts'
import { inSqlite, selected, statement } from '../tables/statement.ts'
import {
  type Db,
  type Dialect,
  deliveryColumns,
  eventColumns,
  linkColumns,
  OF_EVENT,
  type Query,
  selectDeliveries,
} from './dialect.ts'
import { isAbout, isUnsettled } from './selecting.ts'

const PAGE = 50
const SHOWN = 20
const MAX_ROWS = 1_000

const eventsOfAct = statement<EventRow>(`
  select ${selected(...OF_EVENT)} from events join audit_events on event_id = id
    where audit_id = $1 order by event_id limit ${SHOWN}`)

export function createAuditLists(db: Db, { tables }: Dialect, query: Query) {
  const { audit, auditDeliveries, deliveries } = tables

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
        deliveries: await selectDeliveries(db, tables, deliveryColumns(tables))
          .innerJoin(auditDeliveries, eq(auditDeliveries.deliveryId, deliveries.id))
          .where(eq(auditDeliveries.auditId, id))
          .orderBy(auditDeliveries.deliveryId)
          .limit(SHOWN),
        events: await query(eventsOfAct, [id]),
      }
    },
  }
}

const DEED = 'audit.id as act, at, by, action, reason, changed'
const deedsOfDeliveries = statement<EventAuditEntry & { delivery: number }>(`
  select delivery_id as delivery, ${DEED} from audit_deliveries join audit on audit.id = audit_id
    where delivery_id = any($1::bigint[]) order by audit_id`)
const ownDeeds = statement<EventAuditEntry>(`
  select null as delivery, ${DEED} from audit_events join audit on audit.id = audit_id
    where event_id = $1 order by audit_id limit ${MAX_ROWS}`)

/** On the event, and on its deliveries. */
export async function deedsOfEvent(
  query: Query,
  event: number,
  deliveries: readonly number[],
): Promise<EventAuditEntry[]> {
  const own = await query(ownDeeds, [event])
  const theirs = deliveries.length > 0 ? await query(deedsOfDeliveries, [deliveries]) : []
  return [...own, ...theirs].sort((a, b) => a.act - b.act)
}

/** An erasure's identifiers are sealed (domain/privacy/notice.ts). */
function shown<Row extends { selection: string }>(row: Row): Row {
  return { ...row, selection: withoutSealed(row.selection) }
}

function actColumns({ audit }: Tables) {
  const { id, at, by, action, reason, selection, changed, refused, role, address } = audit
  return { id, at, by, action, reason, selection, changed, refused, role, address }
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

type Try = DeliveryDetail['attempts'][number] & { delivery: number }
const TRIES = `
  select delivery_id as delivery, at, ms, outcome, code, note from attempts where delivery_id = any($1::bigint[]) order by at`
const triesOf = statement<Try>(`${TRIES}, id`, `${inSqlite(TRIES)}, rowid`)

function byDelivery<Row extends { delivery: number | null }>(rows: readonly Row[]) {
  const groups = Map.groupBy(rows, ({ delivery }) => delivery)
  return (id: number) => (groups.get(id) ?? []).map(({ delivery: _, ...row }) => row)
}

export async function detailsOf(query: Query, rows: readonly DetailRow[]): Promise<DeliveryDetail[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const tries = byDelivery(await query(triesOf, [ids]))
  const deeds = byDelivery(await query(deedsOfDeliveries, [ids]))
  return rows.map((row) => {
    const { tookMs: _, tookNote: __, ...shown } = row
    return {
      ...shown,
      released: row.released === null ? null : JSON.parse(row.released),
      attempts: [...firstOf(row), ...tries(row.id)].sort((a, b) => a.at - b.at),
      audit: deeds(row.id),
    }
  })
}

type Lookup = Omit<LookupRow, 'found' | 'missing'> & { found: string; missing: string }
const lookupsOf = statement<Lookup>(
  `select at, number, found, missing, ms from lookups where number = $1 order by id limit ${MAX_ROWS}`,
)

export function createOrderHistory(db: Db, dialect: Dialect, query: Query) {
  const { tables, isAtOrBelow, isTrue } = dialect
  const { deliveries, events, links, submissions } = tables

  function eventsOf(entity: string): Promise<OrderHistory['events']> {
    const { id, system, resource, key } = submissions
    return db
      .select({ ...eventColumns(tables), submission: { id, system, resource, key } })
      .from(events)
      .leftJoin(submissions, eq(submissions.id, events.submission))
      .where(isAbout(dialect, events.entity, entity))
      .orderBy(events.id)
      .limit(MAX_ROWS)
  }

  async function deliveriesOf(entities: string[], eventIds: number[]): Promise<DeliveryDetail[]> {
    const of = (where: SQL | undefined) =>
      selectDeliveries(db, tables, detailColumns(tables)).where(where).orderBy(deliveries.id).limit(MAX_ROWS)
    const rows = [
      ...(eventIds.length > 0 ? await of(inArray(deliveries.eventId, eventIds)) : []),
      ...(await Promise.all(entities.map((entity) => of(isAbout(dialect, deliveries.entity, entity))))).flat(),
    ]
    const once = [...new Map(rows.map((row) => [row.id, row])).values()]
    return await detailsOf(query, sorted(once))
  }

  function linksOf(number: string): Promise<OrderHistory['links']> {
    return db
      .select(linkColumns(tables))
      .from(links)
      .where(and(inArray(links.kind, [...KINDS_OF_ORDER]), isAtOrBelow(links.id, number)))
      .orderBy(links.kind, links.id, links.destination, links.theirId)
      .limit(MAX_ROWS)
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
      .orderBy(deliveries.id)
      .limit(limit)
  }

  return {
    /** A web order and an order of a POS may share the number. */
    async order(number: string): Promise<OrderHistory> {
      const ids = idsOfOrder(number)
      const entities = ids.map(orderEntity)
      const about = sorted((await Promise.all(entities.map(eventsOf))).flat())
      const eventIds = about.map(({ id }) => id)
      const lookups = await query(lookupsOf, [number])
      return {
        events: about,
        deliveries: await deliveriesOf(entities, eventIds),
        links: (await Promise.all(ids.map(linksOf))).flat(),
        lookups: lookups.map((row) => ({ ...row, found: JSON.parse(row.found), missing: JSON.parse(row.missing) })),
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
