import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  min,
  type SQL,
  sql,
  sum,
} from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { Link } from '../../domain/link.ts'
import type {
  DeliveryDetail,
  DeliveryFilter,
  DeliveryRow,
  EventDetail,
  EventFilter,
  EventRow,
  JobRunRow,
  StoreStatus,
} from '../screens.ts'
import { createOrderScreens } from './order-screens.ts'
import { attempts, audit, deliveries, events, jobRuns, links, payloads } from './schema.ts'
import { deliveryColumns, eventColumns, eventDetailColumns } from './screen-columns.ts'
import { createSubmissionScreens } from './submission-screens.ts'

const PAGE = 50
const SAMPLE = 10

/** What people read, as drizzle queries. */
export function createScreens(db: BetterSQLite3Database) {
  function selectDeliveries(where: SQL | undefined, limit: number): DeliveryRow[] {
    return db
      .select(deliveryColumns)
      .from(deliveries)
      .innerJoin(events, eq(events.id, deliveries.eventId))
      .where(where)
      .orderBy(desc(deliveries.id))
      .limit(limit)
      .all()
  }

  /** A delivery with its tries, and what people did about it. */
  function detailOf(row: DeliveryRow): DeliveryDetail {
    const { deliveryId, ...attemptColumns } = getTableColumns(attempts)
    const { at, by, action, reason } = audit
    const effect = db.select({ effect: deliveries.effect }).from(deliveries).where(eq(deliveries.id, row.id)).get()
    return {
      ...row,
      effect: effect?.effect ?? null,
      attempts: db.select(attemptColumns).from(attempts).where(eq(deliveryId, row.id)).orderBy(asc(attempts.at)).all(),
      audit: db
        .select({ at, by, action, reason })
        .from(audit)
        .where(eq(audit.deliveryId, row.id))
        .orderBy(asc(audit.id))
        .all(),
    }
  }

  return {
    events(filter: EventFilter): EventRow[] {
      const oldestFirst = filter.after !== undefined
      return db
        .select(eventColumns)
        .from(events)
        .where(matchEvents(filter))
        .orderBy(oldestFirst ? asc(events.id) : desc(events.id))
        .limit(filter.limit ?? PAGE)
        .all()
    },

    event(id: number): EventDetail | null {
      const row = db
        .select({ ...eventDetailColumns, headers: payloads.headers, body: payloads.body })
        .from(events)
        .leftJoin(payloads, eq(payloads.eventId, events.id))
        .where(eq(events.id, id))
        .get()
      if (!row) return null
      const headers = row.headers === null ? {} : JSON.parse(row.headers)
      // What was refused for its size has no hash: its body was never here.
      const body = row.bodyHash === '' ? null : row.body
      return { ...row, body, headers, deliveries: selectDeliveries(eq(deliveries.eventId, id), 1_000) }
    },

    deliveries: (filter: DeliveryFilter): DeliveryRow[] =>
      selectDeliveries(matchDeliveries(filter), filter.limit ?? PAGE),

    delivery(id: number): DeliveryDetail | null {
      const [row] = selectDeliveries(eq(deliveries.id, id), 1)
      return row ? detailOf(row) : null
    },

    /** Counts what is not settled well, from the index that holds nothing else. */
    status(): StoreStatus {
      const is = (state: string) => sql<number>`sum(${deliveries.state} = ${state})`.mapWith(Number)
      const destinations = db
        .select({
          destination: deliveries.destination,
          urgency: deliveries.urgency,
          waiting: sql<number>`sum(${deliveries.state} in ('waiting', 'claimed'))`.mapWith(Number),
          retrying: sum(sql`${deliveries.state} = 'waiting' and ${deliveries.tries} > 0`).mapWith(Number),
          held: is('held'),
          dead: is('dead'),
          oldest: sql<number | null>`min(case when ${deliveries.state} <> 'dead' then ${events.receivedAt} end)`,
        })
        .from(deliveries)
        .innerJoin(events, eq(events.id, deliveries.eventId))
        .where(inArray(deliveries.state, ['waiting', 'claimed', 'held', 'dead']))
        .groupBy(deliveries.destination, deliveries.urgency)
        .all()
      const counted = db
        .select({ state: events.state, conflict: isNotNull(events.conflictWith).mapWith(Boolean), n: count() })
        .from(events)
        .where(sql`${events.state} <> 'routed' or ${events.conflictWith} is not null`)
        .groupBy(events.state, isNotNull(events.conflictWith))
        .all()
      const total = (match: (row: (typeof counted)[number]) => boolean) =>
        counted.filter(match).reduce((all, row) => all + row.n, 0)
      return {
        destinations,
        events: {
          unrouted: total((row) => row.state === 'unrouted' && !row.conflict),
          quarantined: total((row) => row.state === 'quarantined'),
          conflicts: total((row) => row.conflict),
        },
      }
    },

    links: (destination: string, kind: string, ids: string[]): Link[] =>
      db
        .select()
        .from(links)
        .where(and(eq(links.destination, destination), eq(links.kind, kind), inArray(links.id, ids)))
        .all(),

    /** Of an effect, nothing but ASCII below `~` follows what it begins with. */
    skippedEffects: (beginning: string): string[] =>
      db
        .select({ effect: deliveries.effect })
        .from(deliveries)
        .where(
          and(
            gte(deliveries.effect, beginning),
            lt(deliveries.effect, `${beginning}~`),
            isNotNull(deliveries.effect),
            eq(deliveries.state, 'skipped'),
          ),
        )
        .all()
        .flatMap(({ effect }) => effect ?? []),

    ...createSubmissionScreens(db),
    ...createOrderScreens(db, detailOf),

    jobRuns(name: string, limit: number): JobRunRow[] {
      const { id, job, ...columns } = getTableColumns(jobRuns)
      return db.select(columns).from(jobRuns).where(eq(job, name)).orderBy(desc(id)).limit(limit).all()
    },

    /** How many deliveries a person's verb would touch, and the first ones. */
    matching(filter: DeliveryFilter, states: DeliveryRow['state'][]): { matched: number; sample: DeliveryRow[] } {
      const where = and(matchDeliveries(filter), inArray(deliveries.state, states))
      const [row] = db
        .select({ n: count(), first: min(deliveries.id) })
        .from(deliveries)
        .innerJoin(events, eq(events.id, deliveries.eventId))
        .where(where)
        .all()
      return { matched: row?.n ?? 0, sample: selectDeliveries(where, SAMPLE) }
    },

    /** Their ids after one, oldest first. */
    ids(filter: DeliveryFilter, states: DeliveryRow['state'][], after: number, limit: number): number[] {
      return db
        .select({ id: deliveries.id })
        .from(deliveries)
        .innerJoin(events, eq(events.id, deliveries.eventId))
        .where(and(matchDeliveries(filter), inArray(deliveries.state, states), gt(deliveries.id, after)))
        .orderBy(asc(deliveries.id))
        .limit(limit)
        .all()
        .map(({ id }) => id)
    },
  }
}

export type ScreenMethods = ReturnType<typeof createScreens>

function matchEvents(filter: EventFilter): SQL | undefined {
  const { id, kind, state, entity, since, until, before, after } = filter
  return and(
    id === undefined ? undefined : eq(events.id, id),
    kind === undefined ? undefined : eq(events.kind, kind),
    state === undefined ? undefined : eq(events.state, state),
    entity === undefined ? undefined : eq(events.entity, entity),
    // Said for the index of orders, which holds nothing else.
    entity?.startsWith('order:') ? sql`${events.entity} glob 'order:*'` : undefined,
    filter.conflict === undefined ? undefined : (filter.conflict ? isNotNull : isNull)(events.conflictWith),
    since === undefined ? undefined : gte(events.receivedAt, since),
    until === undefined ? undefined : lt(events.receivedAt, until),
    before === undefined ? undefined : lt(events.id, before),
    after === undefined ? undefined : gt(events.id, after),
  )
}

function matchDeliveries(filter: DeliveryFilter): SQL | undefined {
  const { id, event, destination, flow, kind, state, entity, since, until, before } = filter
  return and(
    id === undefined ? undefined : eq(deliveries.id, id),
    event === undefined ? undefined : eq(deliveries.eventId, event),
    destination === undefined ? undefined : eq(deliveries.destination, destination),
    flow === undefined ? undefined : eq(deliveries.flow, flow),
    kind === undefined ? undefined : eq(events.kind, kind),
    state === undefined ? undefined : eq(deliveries.state, state),
    entity === undefined ? undefined : eq(deliveries.entity, entity),
    since === undefined ? undefined : gte(events.receivedAt, since),
    until === undefined ? undefined : lt(events.receivedAt, until),
    before === undefined ? undefined : lt(deliveries.id, before),
  )
}
