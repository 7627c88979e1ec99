import { and, eq, gt, gte, inArray, lte, type SQL } from 'drizzle-orm'
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
import { selected, statement } from '../tables/statement.ts'
import { type Db, type Dialect, pick, type Query, whereEqual } from './dialect.ts'
import { createPayloads } from './payloads.ts'
import { gapsMatching } from './selecting.ts'

/** Lists that are read on, page by page, after the last row that was seen. */
export function createPages(db: Db, dialect: Dialect, query: Query) {
  const { customers, findings, gaps, mirror } = dialect.tables

  return {
    async customersPage(after: number, limit: number): Promise<StoredCustomer[]> {
      return await db.select().from(customers).where(gt(customers.id, after)).orderBy(customers.id).limit(limit)
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
      return (await db.select().from(gaps).where(where).orderBy(gaps.id).limit(limit)).map(toStoredGap)
    },

    oldestGaps: (source: ReconciliationSource) => query(oldestGaps, [source]),

    async gapCounts(since: Instant): Promise<GapCount[]> {
      const open = await query(openGaps)
      const recent = await query(recentGaps, [CAUSE_NAMES, since])
      const counts = new Map<string, GapCount>(open.map((one) => [one.cause, { ...one, recent: 0 }]))
      for (const one of recent) counts.set(one.cause, { open: 0, oldest: null, ...counts.get(one.cause), ...one })
      return [...counts.values()]
    },
  }
}

const oldestGaps = statement<OldestGap>(`
  select kind, ${selected('storeId')}, destination, cause, min(at) as at, count(*) as count from gaps
    where state = 'open' and source = $1 group by kind, store_id, destination, cause`)
const openGaps = statement<Omit<GapCount, 'recent'>>(`
  select cause, source, count(*) as open, min(first_seen_at) as oldest from gaps where state = 'open' group by cause, source`)
const recentGaps = statement<Pick<GapCount, 'cause' | 'source' | 'recent'>>(`
  select cause, source, count(*) as recent from gaps where cause = any($1::text[]) and first_seen_at >= $2
    group by cause, source`)

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

const subscriptionsOf = statement<Pick<Event, 'id' | 'subscription'>>(
  'select id, subscription from events where id = any($1::bigint[])',
)

export function createGivenPages(db: Db, dialect: Dialect, query: Query) {
  const { deliveries, events } = dialect.tables
  const { payloadsOf } = createPayloads(query)
  const { id } = events
  const columns = { event: pick(events, OF_GIVEN_EVENT), ...pick(deliveries, OF_GIVEN) }

  return {
    async givenPage(destinations: readonly string[], after: number, limit: number): Promise<ListPage<GivenRow>> {
      const page = await db.select({ id }).from(events).where(gt(id, after)).orderBy(id).limit(limit)
      const last = page.at(-1)?.id
      if (last === undefined) return { rows: [], next: null }
      const rows = await db
        .select(columns)
        .from(events)
        .innerJoin(deliveries, eq(deliveries.eventId, id))
        .where(and(gt(id, after), lte(id, last), inArray(deliveries.destination, [...destinations])))
        .orderBy(id, deliveries.id)
      return { rows, next: page.length < limit ? null : last }
    },

    async bodies(ids: readonly number[]): Promise<Pick<Event, 'id' | 'subscription' | 'body'>[]> {
      const by = new Map((await query(subscriptionsOf, [ids])).map(({ id, subscription }) => [id, subscription]))
      return (await payloadsOf(ids)).map(({ id, body }) => ({ id, subscription: by.get(id) ?? null, body }))
    },
  }
}

// `+id`, an expression, so that the index of few rows is chosen and not the id.
const unsettledUpTo = statement<{ event: number; state: string }>(`
  select event_id as event, state from deliveries
    where state in ('waiting', 'claimed', 'held', 'dead') and +event_id <= $1 order by +event_id limit $2`)
const rejectedUpTo = statement<{ event: number }>(`
  select id as event from events
    where (state <> 'routed' or conflict_with is not null) and dismissed_at is null and +id <= $1 order by +id limit $2`)
const heldUpTo = statement<{ event: number }>(
  'select event_id as event from legal_holds where event_id <= $1 order by event_id limit $2',
)
const ageingAfter = statement<AgeingEvent>(`
  select id, kind, received_at as "receivedAt", entity, size,
      (select count(*) from deliveries d where d.event_id = events.id) as deliveries
    from events where id > $1 order by id limit $2`)
const acknowledgedAfter = statement<Acknowledged & { digest: string | null; version: number | null }>(`
  select destination, flow, subject, digest, version from acknowledged
    where (destination, flow, subject) > ($1, $2, $3) order by destination, flow, subject limit $4`)
const holdsAfter = statement<LegalHold>(
  'select event_id as event, at, by, reason from legal_holds where event_id > $1 order by event_id limit $2',
)
const eventsHere = statement<{ id: number }>('select id from events where id = any($1::bigint[])')
const openGapKeys = statement<{ key: string }>(`select key from gaps where state = 'open' limit $1`)

/** What retention looks at, oldest first. */
export function createAgeing(query: Query) {
  return {
    async retained(upTo: number, limit: number): Promise<RetainedEvents> {
      const unsettled = await query(unsettledUpTo, [upTo, limit])
      const rejected = await query(rejectedUpTo, [upTo, limit])
      const held = await query(heldUpTo, [upTo, limit])
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

    ageing: (after: number, limit: number) => query(ageingAfter, [after, limit]),

    async acknowledgedUpTo(upTo: number, after: Acknowledged | null, limit: number): Promise<AcknowledgedPage> {
      const { destination, flow, subject } = after ?? { destination: '', flow: '', subject: '' }
      const page = await query(acknowledgedAfter, [destination, flow, subject, limit])
      const isOld = ({ digest, version }: (typeof page)[number]) =>
        digest === null && version !== null && version <= upTo
      const keyOf = ({ destination, flow, subject }: Acknowledged) => ({ destination, flow, subject })
      const last = page.at(-1)
      return { rows: page.filter(isOld).map(keyOf), next: last && page.length === limit ? keyOf(last) : null }
    },

    legalHolds: (after: number, limit: number) => query(holdsAfter, [after, limit]),
    eventsHere: async (ids: readonly number[]) => (await query(eventsHere, [ids])).map(({ id }) => id),
    openGapKeys: async (limit: number) => (await query(openGapKeys, [limit])).map(({ key }) => key),
  }
}

function lastOf(rows: readonly { event: number }[]): number {
  return rows.at(-1)?.event ?? 0
}
