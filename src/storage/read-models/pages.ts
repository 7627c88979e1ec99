import { and, asc, count, eq, gt, gte, inArray, isNull, lte, min, type SQL, sql } from 'drizzle-orm'
import type { FindingFilter } from '../../domain/catalogue/finding.ts'
import type { MirrorCursor, MirrorFilter } from '../../domain/catalogue/mirror.ts'
import {
  CAUSE_NAMES,
  type GapCount,
  type GapFilter,
  type OldestGap,
  type ReconciliationSource,
  type StoredGap,
} from '../../domain/completeness/gap.ts'
import type { Event } from '../../domain/queue/event.ts'
import type { RetainedEvent } from '../../domain/retention.ts'
import type { Instant } from '../../domain/values/instant.ts'
import {
  type Acknowledged,
  type AcknowledgedPage,
  type AgeingEvent,
  type FindingText,
  type LegalHold,
  type ListPage,
  type MirrorText,
  type RetainedEvents,
  type StoredCustomer,
  toStoredGap,
} from '../rows.ts'
import type { RowOf, Tables } from '../schema.ts'
import { type Db, type Dialect, pick, whereEqual } from './dialect.ts'
import { createPayloads } from './payloads.ts'
import { gapsMatching, isOutOfPlace, isUnsettled } from './selecting.ts'

/** Lists that are read on, page by page, after the last row that was seen. */
export function createPages(db: Db, dialect: Dialect) {
  const { customers, findings, gaps, mirror } = dialect.tables
  // Word for word the index condition.
  const isOpen = sql`${gaps.state} = 'open'`

  return {
    async customersPage(after: number, limit: number): Promise<StoredCustomer[]> {
      return await db.select().from(customers).where(gt(customers.id, after)).orderBy(asc(customers.id)).limit(limit)
    },

    async findingPage(filter: FindingFilter, after: MirrorCursor | null, limit: number): Promise<FindingText[]> {
      const { id, sort, key, topic, day, body } = findings
      const wanted = and(eq(sort, filter.sort), ...whereEqual({ topic }, filter))
      return await pageByDay(findings, dialect, { from: filter.from, after, limit }, (range, most) =>
        db.select({ id, key, day, body }).from(findings).where(and(wanted, range)).orderBy(day, id).limit(most),
      )
    },

    async mirrorTexts(filter: MirrorFilter, after: MirrorCursor | null, limit: number): Promise<MirrorText[]> {
      const { set, place, article, part, day, id } = mirror
      const wanted = and(
        ...whereEqual({ set, place, article, part }, filter),
        filter.to === undefined ? undefined : lte(day, filter.to),
      )
      return await pageByDay(mirror, dialect, { from: filter.from, after, limit }, (range, most) =>
        db.select().from(mirror).where(and(wanted, range)).orderBy(day, id).limit(most),
      )
    },

    async gaps(filter: GapFilter, after: number, limit: number): Promise<StoredGap[]> {
      const where = and(gapsMatching(gaps, filter), gt(gaps.id, after))
      return (await db.select().from(gaps).where(where).orderBy(asc(gaps.id)).limit(limit)).map(toStoredGap)
    },

    async oldestGaps(source: ReconciliationSource): Promise<OldestGap[]> {
      const { kind, storeId, destination, cause, at } = gaps
      return await db
        .select({ kind, storeId, destination, cause, at: sql<Instant>`min(${at})`.mapWith(Number), count: count() })
        .from(gaps)
        .where(and(isOpen, eq(gaps.source, source)))
        .groupBy(kind, storeId, destination, cause)
    },

    async gapCounts(since: Instant): Promise<GapCount[]> {
      const { cause, source, firstSeenAt } = gaps
      const open = await db
        .select({ cause, source, open: count(), oldest: min(firstSeenAt) })
        .from(gaps)
        .where(isOpen)
        .groupBy(cause, source)
      const recent = await db
        .select({ cause, source, recent: count() })
        .from(gaps)
        .where(and(inArray(cause, CAUSE_NAMES), gte(firstSeenAt, since)))
        .groupBy(cause, source)
      const counts = new Map<string, GapCount>(open.map((one) => [one.cause, { ...one, recent: 0 }]))
      for (const one of recent) counts.set(one.cause, { open: 0, oldest: null, ...counts.get(one.cause), ...one })
      return [...counts.values()]
    },
  }
}

type Paged = Tables['mirror'] | Tables['findings']

interface Page {
  from: string | undefined
  after: MirrorCursor | null
  limit: number
}

/** Range by range, each with one lower bound: of two, a server may use the other and read all earlier pages. */
async function pageByDay<Row>(
  { day, id }: Pick<Paged, 'day' | 'id'>,
  { rangesAfter }: Pick<Dialect, 'rangesAfter'>,
  { from, after, limit }: Page,
  select: (range: SQL | undefined, limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  const goesOn = after !== null && (from === undefined || after.day >= from)
  const ranges = goesOn ? rangesAfter(day, id, after) : [from === undefined ? undefined : gte(day, from)]
  const rows: Row[] = []
  for (const range of ranges) if (rows.length < limit) rows.push(...(await select(range, limit - rows.length)))
  return rows
}

const OF_GIVEN = [
  ...(['id', 'flow', 'part', 'destination', 'effect', 'state', 'settledAt', 'code', 'tries', 'crashes'] as const),
  'firstTriedAt' as const,
]

const OF_GIVEN_EVENT = [
  ...(['id', 'kind', 'origin', 'subscription', 'identity', 'revision', 'transportKey', 'entity'] as const),
  ...(['bodyHash', 'receivedAt', 'size'] as const),
]

export interface GivenRow extends Pick<RowOf<'deliveries'>, (typeof OF_GIVEN)[number]> {
  event: Pick<RowOf<'events'>, (typeof OF_GIVEN_EVENT)[number]>
}

export function createGivenPages(db: Db, dialect: Dialect) {
  const { deliveries, events } = dialect.tables
  const { payloadsOf } = createPayloads(db, dialect)
  const { id, subscription } = events
  const columns = { event: pick(events, OF_GIVEN_EVENT), ...pick(deliveries, OF_GIVEN) }

  return {
    async givenPage(destinations: readonly string[], after: number, limit: number): Promise<ListPage<GivenRow>> {
      const page = await db.select({ id }).from(events).where(gt(id, after)).orderBy(asc(id)).limit(limit)
      const last = page.at(-1)?.id
      if (last === undefined) return { rows: [], next: null }
      const rows = await db
        .select(columns)
        .from(events)
        .innerJoin(deliveries, eq(deliveries.eventId, id))
        .where(and(gt(id, after), lte(id, last), inArray(deliveries.destination, [...destinations])))
        .orderBy(asc(id), asc(deliveries.id))
      return { rows, next: page.length < limit ? null : last }
    },

    async bodies(ids: readonly number[]): Promise<Pick<Event, 'id' | 'subscription' | 'body'>[]> {
      const came = db
        .select({ id, subscription })
        .from(events)
        .where(inArray(id, [...ids]))
      const by = new Map((await came).map((event) => [event.id, event.subscription]))
      return (await payloadsOf(ids)).map(({ id, body }) => ({ id, subscription: by.get(id) ?? null, body }))
    },
  }
}

/** What retention looks at, oldest first. */
export function createAgeing(db: Db, { tables }: Dialect) {
  const { deliveries, events, legalHolds } = tables

  // As an expression, so that the index of few rows is chosen and not the id.
  const eventOf = sql<number>`+${deliveries.eventId}`
  const idOf = sql<number>`+${events.id}`

  return {
    async retained(upTo: number, limit: number): Promise<RetainedEvents> {
      const unsettled = await db
        .select({ event: deliveries.eventId, state: deliveries.state })
        .from(deliveries)
        .where(and(isUnsettled(tables), sql`${eventOf} <= ${upTo}`))
        .orderBy(asc(eventOf))
        .limit(limit)
      const rejected = await db
        .select({ event: events.id })
        .from(events)
        .where(and(isOutOfPlace(tables), isNull(events.dismissedAt), sql`${idOf} <= ${upTo}`))
        .orderBy(asc(idOf))
        .limit(limit)
      const held = await db
        .select({ event: legalHolds.eventId })
        .from(legalHolds)
        .where(lte(legalHolds.eventId, upTo))
        .orderBy(asc(legalHolds.eventId))
        .limit(limit)
      const why = new Map<number, RetainedEvent['why']>()
      for (const { event, state } of unsettled)
        if (state !== 'dead') why.set(event, 'open')
        else if (!why.has(event)) why.set(event, 'dead')
      for (const { event } of rejected) why.set(event, 'rejected')
      for (const { event } of held) why.set(event, 'hold')
      const reach = Math.min(...[unsettled, rejected, held].map((rows) => (rows.length < limit ? upTo : lastOf(rows))))
      const retained = [...why].map(([event, why]) => ({ event, why })).filter(({ event }) => event <= reach)
      return { upTo: reach, events: retained.sort((a, b) => a.event - b.event) }
    },

    async ageing(after: number, limit: number): Promise<AgeingEvent[]> {
      const { id, kind, receivedAt, entity, size } = events
      const those = sql<number>`(select count(*) from ${deliveries} d where d.event_id = ${events}.id)`.mapWith(Number)
      return await db
        .select({ id, kind, receivedAt, entity, size, deliveries: those })
        .from(events)
        .where(gt(id, after))
        .orderBy(asc(id))
        .limit(limit)
    },

    async acknowledgedUpTo(upTo: number, after: Acknowledged | null, limit: number): Promise<AcknowledgedPage> {
      const { destination, flow, subject, digest, version } = tables.acknowledged
      const place = after ?? { destination: '', flow: '', subject: '' }
      const page = await db
        .select({ destination, flow, subject, digest, version })
        .from(tables.acknowledged)
        .where(sql`(${destination}, ${flow}, ${subject}) > (${place.destination}, ${place.flow}, ${place.subject})`)
        .orderBy(asc(destination), asc(flow), asc(subject))
        .limit(limit)
      const isOld = ({ digest, version }: (typeof page)[number]) =>
        digest === null && version !== null && version <= upTo
      const keyOf = ({ destination, flow, subject }: (typeof page)[number]) => ({ destination, flow, subject })
      const last = page.at(-1)
      return { rows: page.filter(isOld).map(keyOf), next: last && page.length === limit ? keyOf(last) : null }
    },

    async legalHolds(after: number, limit: number): Promise<LegalHold[]> {
      const { eventId, at, by, reason } = legalHolds
      return await db
        .select({ event: eventId, at, by, reason })
        .from(legalHolds)
        .where(gt(eventId, after))
        .orderBy(asc(eventId))
        .limit(limit)
    },

    async eventsHere(ids: readonly number[]): Promise<number[]> {
      const rows = await db
        .select({ id: events.id })
        .from(events)
        .where(inArray(events.id, [...ids]))
      return rows.map(({ id }) => id)
    },

    async openGapKeys(limit: number): Promise<string[]> {
      const { gaps } = tables
      const rows = await db.select({ key: gaps.key }).from(gaps).where(eq(gaps.state, 'open')).limit(limit)
      return rows.map(({ key }) => key)
    },
  }
}

function lastOf(rows: readonly { event: number }[]): number {
  return rows.at(-1)?.event ?? 0
}
