import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  max,
  min,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { Link } from '../../domain/orders/link.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type {
  DeliveryDetail,
  DestinationStatus,
  EventDetail,
  EventFilter,
  FailedDeliveries,
  FailedEvents,
  Failures,
  JobRunRow,
  LevelState,
  SearchReach,
  StorageStatus,
  StoredStore,
  SubmissionDetail,
  SubmissionItem,
  SubmissionItemFilter,
  SubmissionRow,
} from '../rows.ts'
import type { Tables } from '../schema.ts'
import { cutKey, type FoundRow } from '../search-index.ts'
import { type Db, type Dialect, eventColumns, linkColumns, selectDeliveries, storeColumns } from './dialect.ts'
import { createAuditLists, createOrderHistory, deedsOfEvent, detailColumns, detailsOf } from './histories.ts'
import { createAgeing, createGivenPages, createPages } from './pages.ts'
import { createPayloads, createPeoplePages } from './payloads.ts'
import { createListing, createSelecting, isFailed, isOutOfPlace, isUnsettled } from './selecting.ts'
import { type Span, STRETCH } from './stretches.ts'

/** Methods run several queries: the caller makes `db` one snapshot. */
export function createReadModels(db: Db, dialect: Dialect) {
  const { tables, startsWith } = dialect
  const { deliveries, events, jobRuns, links } = tables
  const { payloadsOf, toCompress, payloadKinds } = createPayloads(db, dialect)
  const listing = createListing(db, dialect)

  return {
    ...listing,

    async event(id: number): Promise<EventDetail | null> {
      const { bodyHash } = events
      const [row] = await db
        .select({ ...eventColumns(tables), bodyHash })
        .from(events)
        .where(eq(events.id, id))
      if (!row) return null
      const [payload] = await payloadsOf([id])
      const headers = payload === undefined ? {} : JSON.parse(payload.headers)
      const body = row.bodyHash === '' ? null : (payload?.body ?? null)
      const pending = await listing.deliveries({ event: id, limit: 1_000 })
      const ids = pending.map((one) => one.id)
      const audit = await deedsOfEvent(db, tables, id, ids)
      return { ...row, body, headers, deliveries: pending, audit }
    },

    async delivery(id: number): Promise<DeliveryDetail | null> {
      const rows = await selectDeliveries(db, tables, detailColumns(tables)).where(eq(deliveries.id, id))
      const [detail] = await detailsOf(db, dialect, rows)
      return detail ?? null
    },

    async links(destination: string, kind: string, ids: string[]): Promise<Link[]> {
      return await db
        .select(linkColumns(tables))
        .from(links)
        .where(and(eq(links.destination, destination), eq(links.kind, kind), inArray(links.id, ids)))
        .orderBy(asc(links.id), asc(links.theirId))
    },

    async linksTo(destinations: string[], kind: string, theirIds: string[]): Promise<Link[]> {
      return await db
        .select(linkColumns(tables))
        .from(links)
        .where(and(inArray(links.destination, destinations), eq(links.kind, kind), inArray(links.theirId, theirIds)))
        .orderBy(asc(links.theirId), asc(links.destination), asc(links.id))
    },

    async effectsOf(wanted: 'skipped' | 'delivered', beginning: string): Promise<string[]> {
      const { effect, state } = deliveries
      const rows = await db
        .select({ effect })
        .from(deliveries)
        .where(and(startsWith(effect, beginning), isNotNull(effect), eq(state, wanted)))
        .orderBy(asc(effect))
      return rows.flatMap((row) => row.effect ?? [])
    },

    async arePending(destination: string, flows: readonly string[]): Promise<boolean> {
      const rows = await db
        .select({ id: deliveries.id })
        .from(deliveries)
        .where(
          and(
            eq(deliveries.destination, destination),
            isUnsettled(tables),
            inArray(deliveries.state, ['waiting', 'claimed', 'held']),
            inArray(deliveries.flow, [...flows]),
          ),
        )
        .limit(1)
      return rows.length > 0
    },

    ...createAuditLists(db, dialect),
    ...createAgeing(db, dialect),
    ...createSearch(db, dialect),
    ...createStatus(db, dialect),
    ...createFailures(db, dialect),
    ...createSubmissions(db, dialect),
    ...createOrderHistory(db, dialect),
    ...createPages(db, dialect),
    ...createGivenPages(db, dialect),
    ...createLevelState(db, dialect),
    ...createSpans(db, dialect),
    ...createSelecting(db, dialect),
    ...createPeoplePages(db, dialect),
    ...{ toCompress, payloadKinds },

    async storeRows(): Promise<StoredStore[]> {
      return await db.select(storeColumns(tables)).from(tables.stores).orderBy(asc(tables.stores.storeId))
    },

    async jobRuns(name: string, limit: number): Promise<JobRunRow[]> {
      const { id, job, startedAt, endedAt, problem, note } = jobRuns
      return await db
        .select({ startedAt, endedAt, problem, note })
        .from(jobRuns)
        .where(eq(job, name))
        .orderBy(desc(id))
        .limit(limit)
    },
  }
}

export type ReadModels = ReturnType<typeof createReadModels>

function createSearch(db: Db, { tables }: Dialect) {
  const { events, searchIndex, searchKeys } = tables

  return {
    async searchReach(): Promise<SearchReach> {
      const [index] = await db.select({ upTo: searchIndex.upTo }).from(searchIndex)
      const upTo = index?.upTo ?? 0
      const [newest] = await db.select({ id: max(events.id) }).from(events)
      const [last] = await db.select({ at: events.receivedAt }).from(events).where(eq(events.id, upTo))
      return { upTo, until: last?.at ?? null, behind: Math.max(0, (newest?.id ?? 0) - upTo) }
    },

    async foundBy(keys: string[], limit: number): Promise<FoundRow[]> {
      const found = new Map<number, string>()
      const { key, eventId } = searchKeys
      for (const hashed of keys) {
        const rows = await db
          .select({ event: eventId })
          .from(searchKeys)
          .where(eq(key, cutKey(hashed)))
          .orderBy(desc(eventId))
          .limit(limit)
        for (const { event } of rows) if (!found.has(event)) found.set(event, hashed)
      }
      const ids = [...found.keys()].sort((a, b) => b - a).slice(0, limit)
      if (ids.length === 0) return []
      const rows = await db
        .select(eventColumns(tables))
        .from(events)
        .where(inArray(events.id, ids))
        .orderBy(desc(events.id))
      return rows.map((event) => ({ key: found.get(event.id) ?? '', event }))
    },
  }
}

function createStatus(db: Db, { tables }: Dialect) {
  const { deliveries, events } = tables

  /** Index only: thousands of dead ones would be scattered over the table. */
  async function destinations(): Promise<DestinationStatus[]> {
    const { destination, urgency, state, tries, eventId } = deliveries
    const first = min(eventId)
    const failed = await db
      .select({ destination, urgency, state, n: count(), first })
      .from(deliveries)
      .where(isFailed(tables))
      .groupBy(destination, urgency, state)
    const retrying = sql`count(*) filter (where ${state} = 'waiting' and ${tries} > 0)`.mapWith(Number)
    const waiting = await db
      .select({ destination, urgency, n: count(), retrying, first })
      .from(deliveries)
      .where(and(isUnsettled(tables), inArray(state, ['waiting', 'claimed'])))
      .groupBy(destination, urgency)
    const taken = await receivedAt(db, tables, [...failed, ...waiting])
    const queues = new Map<string, DestinationStatus>()
    const add = (
      { destination, urgency }: (typeof waiting)[number] | (typeof failed)[number],
      some: Partial<DestinationStatus>,
    ) => {
      const key = `${destination} ${urgency}`
      const none = { waiting: 0, retrying: 0, held: 0, dead: 0, oldest: null, oldestWaiting: null, oldestHeld: null }
      queues.set(key, { destination, urgency, ...none, ...queues.get(key), ...some })
    }
    for (const row of waiting) add(row, { waiting: row.n, retrying: row.retrying, oldestWaiting: taken(row) })
    for (const row of failed) add(row, row.state === 'held' ? { held: row.n, oldestHeld: taken(row) } : { dead: row.n })
    return [...queues]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, queue]) => ({ ...queue, oldest: lesser(queue.oldestWaiting, queue.oldestHeld) }))
  }

  async function countByState(which: SQL | undefined): Promise<Map<string, number>> {
    const rows = await db.select({ state: events.state, n: count() }).from(events).where(which).groupBy(events.state)
    return new Map(rows.map(({ state, n }) => [state, n]))
  }

  return {
    async status(): Promise<StorageStatus> {
      const rejected = await countByState(and(isOutOfPlace(tables), isNull(events.dismissedAt)))
      const conflicts = await countByState(and(isNotNull(events.conflictWith), isNull(events.dismissedAt)))
      const [reused] = await db
        .select({ count: count(), last: max(events.receivedAt) })
        .from(events)
        .where(isNotNull(events.sameKeyAs))
      return {
        destinations: await destinations(),
        events: {
          unrouted: (rejected.get('unrouted') ?? 0) - (conflicts.get('unrouted') ?? 0),
          quarantined: rejected.get('quarantined') ?? 0,
          conflicts: [...conflicts.values()].reduce((all, n) => all + n, 0),
          reusedKeys: { count: reused?.count ?? 0, last: reused?.last ?? null },
        },
      }
    },
  }
}

/** When the first event of each row was received. */
async function receivedAt(db: Db, { events }: Tables, rows: readonly { first: number | null }[]) {
  const ids = rows.flatMap(({ first }) => first ?? [])
  const found = await db.select({ id: events.id, at: events.receivedAt }).from(events).where(inArray(events.id, ids))
  const at = new Map(found.map((event) => [event.id, event.at]))
  return ({ first }: { first: number | null }): number | null => at.get(first ?? 0) ?? null
}

function lesser(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}

function createLevelState(db: Db, dialect: Dialect) {
  const { acknowledged, deliveries } = dialect.tables
  const { id, state } = deliveries

  async function newest(destination: string, flow: string, entity: string, index: SQL | undefined) {
    const isIt = and(eq(deliveries.destination, destination), eq(deliveries.entity, entity), eq(deliveries.flow, flow))
    const [row] = await db.select({ id, state }).from(deliveries).where(and(index, isIt)).orderBy(desc(id)).limit(1)
    return row
  }

  return {
    async levelState(destination: string, flow: string, entity: string): Promise<LevelState | null> {
      const undone = await newest(destination, flow, entity, dialect.isUndone())
      const held = await newest(destination, flow, entity, and(isUnsettled(dialect.tables), eq(state, 'held')))
      const last = [undone, held].flatMap((row) => row ?? []).sort((a, b) => b.id - a.id)[0]
      if (last) return { delivery: last.id, state: last.state }
      const [row] = await db
        .select({ flow: acknowledged.flow })
        .from(acknowledged)
        .where(
          and(eq(acknowledged.destination, destination), eq(acknowledged.flow, flow), eq(acknowledged.subject, entity)),
        )
      return row ? { delivery: null, state: 'delivered' } : null
    },
  }
}

const ITEMS_PER_PAGE = 100
const ITEMS_OF_LINE = 1_000
/** The range of PostgreSQL's int. */
const MAX_LINES = 2 ** 31 - 1

function createSubmissions(db: Db, { tables: { deliveries, events, submissions } }: Dialect) {
  function selectItems(where: SQL | undefined, limit: number): Promise<SubmissionItem[]> {
    return db
      .select({
        line: sql<number>`${events.line}`,
        event: events.id,
        entity: events.entity,
        delivery: deliveries.id,
        destination: deliveries.destination,
        state: deliveries.state,
        code: deliveries.code,
        why: deliveries.why,
      })
      .from(events)
      .innerJoin(deliveries, eq(deliveries.eventId, events.id))
      .where(where)
      .orderBy(asc(events.line), asc(deliveries.id))
      .limit(limit)
  }

  async function countLines(id: number): Promise<{ items: number; unrouted: number }> {
    const unrouted = sql`count(*) filter (where ${events.state} = 'unrouted')`.mapWith(Number)
    const [lines] = await db.select({ items: count(), unrouted }).from(events).where(eq(events.submission, id))
    return lines ?? { items: 0, unrouted: 0 }
  }

  function countStates(id: number): Promise<SubmissionDetail['states']> {
    const rows = db
      .select({ destination: deliveries.destination, state: deliveries.state })
      .from(events)
      .innerJoin(deliveries, eq(deliveries.eventId, events.id))
      .where(eq(events.submission, id))
      // With a limit SQLite joins from the events before grouping.
      .limit(MAX_LINES)
      .as('pending')
    const { destination, state } = rows
    return db
      .select({ destination, state, count: count() })
      .from(rows)
      .groupBy(destination, state)
      .orderBy(asc(destination), asc(state))
  }

  return {
    /** Newest first. */
    async submissions(before: number | null, limit: number): Promise<SubmissionRow[]> {
      const { id, system, resource, key, receivedAt } = submissions
      return await db
        .select({ id, system, resource, key, receivedAt })
        .from(submissions)
        .where(before === null ? undefined : lt(id, before))
        .orderBy(desc(id))
        .limit(limit)
    },

    async submission(id: number): Promise<SubmissionDetail | null> {
      const [row] = await db.select().from(submissions).where(eq(submissions.id, id))
      if (!row) return null
      const end = row.end === null ? null : JSON.parse(row.end)
      return { ...row, ...(await countLines(id)), states: await countStates(id), end }
    },

    /** All deliveries of the last line, even beyond `limit`. */
    async submissionItems(id: number, filter: SubmissionItemFilter): Promise<SubmissionItem[]> {
      const { states, after = 0, limit = ITEMS_PER_PAGE } = filter
      const wanted = and(eq(events.submission, id), inArray(deliveries.state, [...states]))
      const items = await selectItems(and(wanted, gt(events.line, Math.min(after, MAX_LINES))), limit)
      const last = items.at(-1)
      if (!last || items.length < limit) return items
      const rest = await selectItems(
        and(wanted, eq(events.line, last.line), gt(deliveries.id, last.delivery)),
        ITEMS_OF_LINE,
      )
      return [...items, ...rest]
    },
  }
}

function createSpans(db: Db, { tables: { deliveries, events } }: Dialect) {
  const { id, receivedAt } = events

  async function ends(table: typeof events | typeof deliveries): Promise<{ first: number; last: number }> {
    const [oldest] = await db.select({ id: min(table.id) }).from(table)
    const [newest] = await db.select({ id: max(table.id) }).from(table)
    return { first: oldest?.id ?? 1, last: newest?.id ?? 0 }
  }

  async function firstSince(instant: Instant, first: number, last: number): Promise<number> {
    let [low, high] = [first, last + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const [row] = await db.select({ id, receivedAt }).from(events).where(gte(id, middle)).orderBy(asc(id)).limit(1)
      if (!row || row.receivedAt >= instant) high = middle
      else low = row.id + 1
    }
    return low
  }

  return {
    /** With a stretch of margin: hubs and clock changes blur the order. */
    async eventSpan({ since, until }: Pick<EventFilter, 'since' | 'until'>): Promise<Span> {
      const { first, last } = await ends(events)
      const floor = since === undefined ? first - 1 : (await firstSince(since, first, last)) - 1 - STRETCH
      const below = until === undefined ? last + 1 : (await firstSince(until, first, last)) + STRETCH
      return { floor: Math.max(first - 1, floor), below: Math.min(last + 1, below) }
    },

    /** Deliveries are not in time order: an old event may get a new one. */
    async deliverySpan(): Promise<Span> {
      const { first, last } = await ends(deliveries)
      return { floor: first - 1, below: last + 1 }
    },
  }
}

/** Failed deliveries that are counted, and as many events. */
const LOOKED_AT = 100_000

/** What needs an operator, by cause. */
function createFailures(db: Db, dialect: Dialect) {
  const { tables } = dialect
  const { deliveries, events } = tables
  const count = sql`count(*)`.mapWith(Number)

  async function failedDeliveries(): Promise<FailedDeliveries[]> {
    const { id, eventId, destination, state, open, code } = deliveries
    const failed = db
      .select({ id, eventId, destination, state, open, code })
      .from(deliveries)
      .where(isFailed(tables))
      .limit(LOOKED_AT)
      .as('failed')
    const group = { destination: failed.destination, state: failed.state, open: failed.open, code: failed.code }
    const groups = await db
      .select({ ...group, count, first: min(failed.eventId), newest: max(failed.id) })
      .from(failed)
      .groupBy(...Object.values(group))
    if (groups.length === 0) return []
    const received = await receivedAt(db, tables, groups)
    const newest = groups.map((group) => group.newest ?? 0)
    const whys = await db.select({ id, why: deliveries.why }).from(deliveries).where(inArray(id, newest))
    const why = new Map(whys.map((row) => [row.id, row.why]))
    return groups.map(({ newest, state, open: isOpen, ...group }) => ({
      ...group,
      state: state === 'held' ? 'held' : 'dead',
      inDoubt: state === 'held' && Boolean(isOpen),
      oldest: received(group) ?? 0,
      newest: newest ?? 0,
      why: why.get(newest ?? 0) ?? null,
    }))
  }

  async function failedEvents(): Promise<FailedEvents[]> {
    const { id, kind, state, conflictWith } = events
    const inConflict = sql<number>`${conflictWith} is not null`.as('in_conflict')
    const failed = db
      .select({ id, kind, state, inConflict })
      .from(events)
      .where(and(isOutOfPlace(tables), isNull(events.dismissedAt)))
      .limit(LOOKED_AT)
      .as('failed')
    const group = { kind: failed.kind, state: failed.state, inConflict: failed.inConflict }
    const groups = await db
      .select({ ...group, count, first: min(failed.id), newest: max(failed.id) })
      .from(failed)
      .groupBy(failed.kind, failed.state, sql`${failed.inConflict}`)
      .orderBy(asc(failed.kind))
    if (groups.length === 0) return []
    const received = await receivedAt(db, tables, groups)
    const newest = groups.map((group) => group.newest ?? 0)
    const rows = await db.select({ id, why: events.problem }).from(events).where(inArray(id, newest))
    return groups.map(({ state, inConflict, newest, first, ...group }) => ({
      ...group,
      cause: inConflict ? 'conflict' : state === 'quarantined' ? 'quarantined' : 'unrouted',
      oldest: received({ first }) ?? 0,
      newest: newest ?? 0,
      why: rows.find((row) => row.id === newest)?.why ?? null,
    }))
  }

  return {
    async failures(): Promise<Failures> {
      const found = { deliveries: await failedDeliveries(), events: await failedEvents() }
      const cut = [found.deliveries, found.events].some(
        (groups) => groups.reduce((sum, group) => sum + group.count, 0) >= LOOKED_AT,
      )
      return { ...found, cut }
    },
  }
}
