import { and, eq, isNotNull } from 'drizzle-orm'
import type { Link } from '../../domain/orders/link.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { sumOf } from '../../lib/collections.ts'
import type {
  DeliveryDetail,
  DestinationStatus,
  EventDetail,
  EventFilter,
  EventRow,
  FailedDeliveries,
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
import { cutKey, type FoundRow } from '../search-index.ts'
import { selected, statement } from '../tables/statement.ts'
import { type Db, type Dialect, eventColumns, OF_EVENT, type Query, selectDeliveries } from './dialect.ts'
import { createAuditLists, createOrderHistory, deedsOfEvent, detailColumns, detailsOf } from './histories.ts'
import { createAgeing, createGivenPages, createPages } from './pages.ts'
import { createPayloads, createPeoplePages } from './payloads.ts'
import { createListing, createSelecting } from './selecting.ts'
import { type Span, STRETCH } from './stretches.ts'

/** Methods run several queries: the caller makes `db` one snapshot. */
export function createReadModels(db: Db, dialect: Dialect, query: Query) {
  const { tables, startsWith } = dialect
  const { deliveries, events } = tables
  const { payloadsOf, toCompress, payloadKinds } = createPayloads(query)
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
      const audit = await deedsOfEvent(query, id, ids)
      return { ...row, body, headers, deliveries: pending, audit }
    },

    async delivery(id: number): Promise<DeliveryDetail | null> {
      const rows = await selectDeliveries(db, tables, detailColumns(tables)).where(eq(deliveries.id, id))
      const [detail] = await detailsOf(query, rows)
      return detail ?? null
    },

    links: (destination: string, kind: string, ids: string[]) => query(linksOf, [destination, kind, ids]),
    linksTo: (destinations: string[], kind: string, theirIds: string[]) =>
      query(linksTo, [destinations, kind, theirIds]),

    async effectsOf(wanted: 'skipped' | 'delivered', beginning: string): Promise<string[]> {
      const { effect, state } = deliveries
      const rows = await db
        .select({ effect })
        .from(deliveries)
        .where(and(startsWith(effect, beginning), isNotNull(effect), eq(state, wanted)))
        .orderBy(effect)
      return rows.flatMap((row) => row.effect ?? [])
    },

    async arePending(destination: string, flows: readonly string[]): Promise<boolean> {
      return (await query(onePending, [destination, flows])).length > 0
    },

    async levelState(...level: [destination: string, flow: string, entity: string]): Promise<LevelState | null> {
      const pending = [...(await query(undoneLevel, level)), ...(await query(heldLevel, level))]
      const [last] = pending.sort((a, b) => b.delivery - a.delivery)
      return last ?? (await query(acknowledgedLevel, level))[0] ?? null
    },

    ...createAuditLists(db, dialect, query),
    ...createAgeing(query),
    ...createSubmissions(query),
    ...createOrderHistory(db, dialect, query),
    ...createPages(db, dialect, query),
    ...createGivenPages(db, dialect, query),
    ...createSpans(query),
    ...createSelecting(db, dialect),
    ...createPeoplePages(db, dialect, query),
    ...{ toCompress, payloadKinds },

    searchReach: async () => (await query(searchReach))[0] ?? { upTo: 0, until: null, behind: 0 },
    foundBy: (keys: string[], limit: number) => foundBy(query, keys, limit),
    status: () => readStatus(query),
    failures: () => readFailures(query),
    storeRows: () => query(allStores),
    jobRuns: (name: string, limit: number) => query(runsOfJob, [name, limit]),
  }
}

export type ReadModels = ReturnType<typeof createReadModels>

const LINK = selected('destination', 'kind', 'id', 'theirId')
const linksOf = statement<Link>(`
  select ${LINK} from links where destination = $1 and kind = $2 and id = any($3::text[]) order by id, their_id`)
const linksTo = statement<Link>(`
  select ${LINK} from links where destination = any($1::text[]) and kind = $2 and their_id = any($3::text[])
    order by their_id, destination, id`)
// Here and below, conditions of partial indexes are word for word those of the index.
const onePending = statement<{ id: number }>(`
  select id from deliveries where destination = $1 and flow = any($2::text[])
    and state in ('waiting', 'claimed', 'held', 'dead') and state <> 'dead' limit 1`)
const STORE = selected('storeId', 'number', 'name', 'stockId', 'countryCode', 'currency', 'zone', 'goneAt')
const allStores = statement<StoredStore>(`select ${STORE} from stores order by store_id`)
const runsOfJob = statement<JobRunRow>(`
  select ${selected('startedAt', 'endedAt', 'problem', 'note')} from job_runs where job = $1 order by id desc limit $2`)

const OF_LEVEL = 'destination = $1 and flow = $2 and entity = $3 order by id desc limit 1'
const undoneLevel = statement<{ delivery: number; state: LevelState['state'] }>(`
  select id as delivery, state from deliveries
    where latest_wins and state in ('waiting', 'dead', 'skipped') and ${OF_LEVEL}`)
const heldLevel = statement<{ delivery: number; state: LevelState['state'] }>(`
  select id as delivery, state from deliveries
    where state in ('waiting', 'claimed', 'held', 'dead') and state = 'held' and ${OF_LEVEL}`)
const acknowledgedLevel = statement<LevelState>(`
  select null as delivery, 'delivered' as state from acknowledged
    where destination = $1 and flow = $2 and subject = $3`)

const searchReach = statement<SearchReach>(`
  select up_to as "upTo", (select received_at from events where id = up_to) as until,
      greatest(0, coalesce((select max(id) from events), 0) - up_to) as behind
    from search_index`)
const eventsOfKey = statement<{ event: number }>(
  'select event_id as event from search_keys where key = $1 order by event_id desc limit $2',
)
const eventsOfIds = statement<EventRow>(`
  select ${selected(...OF_EVENT)} from events where id = any($1::bigint[]) order by id desc`)

async function foundBy(query: Query, keys: string[], limit: number): Promise<FoundRow[]> {
  const found = new Map<number, string>()
  for (const hashed of keys)
    for (const { event } of await query(eventsOfKey, [cutKey(hashed), limit]))
      if (!found.has(event)) found.set(event, hashed)
  const ids = [...found.keys()].sort((a, b) => b - a).slice(0, limit)
  const rows = ids.length === 0 ? [] : await query(eventsOfIds, [ids])
  return rows.map((event) => ({ key: found.get(event.id) ?? '', event }))
}

interface QueueCount extends Pick<DestinationStatus, 'destination' | 'urgency'> {
  n: number
  first: number
}

// Index only: thousands of dead ones would be scattered over the table.
const failedByQueue = statement<QueueCount & { state: 'held' | 'dead' }>(`
  select destination, urgency, state, count(*) as n, min(event_id) as first from deliveries
    where state in ('held', 'dead') group by destination, urgency, state`)
const waitingByQueue = statement<QueueCount & { retrying: number }>(`
  select destination, urgency, count(*) as n, count(*) filter (where state = 'waiting' and tries > 0) as retrying,
      min(event_id) as first
    from deliveries where state in ('waiting', 'claimed', 'held', 'dead') and state in ('waiting', 'claimed')
    group by destination, urgency`)
const rejectedByState = statement<{ state: string; n: number }>(`
  select state, count(*) as n from events
    where (state <> 'routed' or conflict_with is not null) and dismissed_at is null group by state`)
const conflictsByState = statement<{ state: string; n: number }>(`
  select state, count(*) as n from events where conflict_with is not null and dismissed_at is null group by state`)
const reusedKeys = statement<{ count: number; last: Instant | null }>(
  'select count(*) as count, max(received_at) as last from events where same_key_as is not null',
)

async function destinationsIn(query: Query): Promise<DestinationStatus[]> {
  const failed = await query(failedByQueue)
  const waiting = await query(waitingByQueue)
  const taken = await receivedAt(query, [...failed, ...waiting])
  const queues = new Map<string, DestinationStatus>()
  const add = ({ destination, urgency }: QueueCount, some: Partial<DestinationStatus>) => {
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

async function readStatus(query: Query): Promise<StorageStatus> {
  const countByState = async (asked: typeof rejectedByState) =>
    new Map((await query(asked)).map(({ state, n }) => [state, n]))
  const rejected = await countByState(rejectedByState)
  const conflicts = await countByState(conflictsByState)
  const [reused = { count: 0, last: null }] = await query(reusedKeys)
  return {
    destinations: await destinationsIn(query),
    events: {
      unrouted: (rejected.get('unrouted') ?? 0) - (conflicts.get('unrouted') ?? 0),
      quarantined: rejected.get('quarantined') ?? 0,
      conflicts: sumOf([...conflicts.values()], (n) => n),
      reusedKeys: reused,
    },
  }
}

const receivedOf = statement<{ id: number; at: Instant }>(
  'select id, received_at as at from events where id = any($1::bigint[])',
)

/** When the first event of each row was received. */
async function receivedAt(query: Query, rows: readonly { first: number }[]) {
  const found = rows.length === 0 ? [] : await query(receivedOf, [rows.map(({ first }) => first)])
  const at = new Map(found.map((event) => [event.id, event.at]))
  return ({ first }: { first: number }): number | null => at.get(first) ?? null
}

function lesser(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}

const ITEMS_PER_PAGE = 100
const ITEMS_OF_LINE = 1_000
/** The range of PostgreSQL's int. */
const MAX_LINES = 2 ** 31 - 1

const SUBMISSION = selected('id', 'system', 'resource', 'key', 'receivedAt')
const submissionsBefore = statement<SubmissionRow>(
  `select ${SUBMISSION} from submissions where id < $1 order by id desc limit $2`,
)
const submissionOf = statement<SubmissionRow & { end: string | null }>(
  `select ${SUBMISSION}, "end" from submissions where id = $1`,
)
const linesOf = statement<{ items: number; unrouted: number }>(`
  select count(*) as items, count(*) filter (where state = 'unrouted') as unrouted from events where submission = $1`)
// With a limit SQLite joins from the events before grouping.
const statesOf = statement<SubmissionDetail['states'][number]>(`
  select destination, state, count(*) as count from (
      select d.destination, d.state from events e join deliveries d on d.event_id = e.id
        where e.submission = $1 limit ${MAX_LINES}) as pending
    group by destination, state order by destination, state`)
const ITEM = `
  select e.line, e.id as event, e.entity, d.id as delivery, d.destination, d.state, d.code, d.why
    from events e join deliveries d on d.event_id = e.id where e.submission = $1 and d.state = any($2::text[])`
const itemsAfter = statement<SubmissionItem>(`${ITEM} and e.line > $3 order by e.line, d.id limit $4`)
const itemsOfLine = statement<SubmissionItem>(
  `${ITEM} and e.line = $3 and d.id > $4 order by e.line, d.id limit ${ITEMS_OF_LINE}`,
)

function createSubmissions(query: Query) {
  return {
    /** Newest first. */
    submissions: (before: number | null, limit: number): Promise<SubmissionRow[]> =>
      query(submissionsBefore, [before ?? Number.MAX_SAFE_INTEGER, limit]),

    async submission(id: number): Promise<SubmissionDetail | null> {
      const [row] = await query(submissionOf, [id])
      if (!row) return null
      const [lines = { items: 0, unrouted: 0 }] = await query(linesOf, [id])
      const end = row.end === null ? null : JSON.parse(row.end)
      return { ...row, ...lines, states: await query(statesOf, [id]), end }
    },

    /** All deliveries of the last line, even beyond `limit`. */
    async submissionItems(id: number, filter: SubmissionItemFilter): Promise<SubmissionItem[]> {
      const { states, after = 0, limit = ITEMS_PER_PAGE } = filter
      const items = await query(itemsAfter, [id, states, Math.min(after, MAX_LINES), limit])
      const last = items.at(-1)
      if (!last || items.length < limit) return items
      return [...items, ...(await query(itemsOfLine, [id, states, last.line, last.delivery]))]
    },
  }
}

type Ends = { first: number | null; last: number | null }
const endsOf = (table: string) =>
  statement<Ends>(`select (select min(id) from ${table}) as first, (select max(id) from ${table}) as last`)
const endsOfEvents = endsOf('events')
const endsOfDeliveries = endsOf('deliveries')
const receivedFrom = statement<{ id: number; receivedAt: Instant }>(
  'select id, received_at as "receivedAt" from events where id >= $1 order by id limit 1',
)

function createSpans(query: Query) {
  async function ends(asked: typeof endsOfEvents): Promise<{ first: number; last: number }> {
    const [found] = await query(asked)
    return { first: found?.first ?? 1, last: found?.last ?? 0 }
  }

  async function firstSince(instant: Instant, first: number, last: number): Promise<number> {
    let [low, high] = [first, last + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const [row] = await query(receivedFrom, [middle])
      if (!row || row.receivedAt >= instant) high = middle
      else low = row.id + 1
    }
    return low
  }

  return {
    /** With a stretch of margin: hubs and clock changes blur the order. */
    async eventSpan({ since, until }: Pick<EventFilter, 'since' | 'until'>): Promise<Span> {
      const { first, last } = await ends(endsOfEvents)
      const floor = since === undefined ? first - 1 : (await firstSince(since, first, last)) - 1 - STRETCH
      const below = until === undefined ? last + 1 : (await firstSince(until, first, last)) + STRETCH
      return { floor: Math.max(first - 1, floor), below: Math.min(last + 1, below) }
    },

    /** Deliveries are not in time order: an old event may get a new one. */
    async deliverySpan(): Promise<Span> {
      const { first, last } = await ends(endsOfDeliveries)
      return { floor: first - 1, below: last + 1 }
    },
  }
}

/** Failed deliveries that are counted, and as many events. */
const LOOKED_AT = 100_000

interface Group {
  count: number
  first: number
  newest: number
}

const failedDeliveries = statement<
  Group & Pick<FailedDeliveries, 'destination' | 'state' | 'code'> & { open: unknown }
>(`
  select destination, state, open, code, count(*) as count, min(event_id) as first, max(id) as newest from (
      select id, event_id, destination, state, open, code from deliveries
        where state in ('held', 'dead') limit ${LOOKED_AT}) as failed
    group by destination, state, open, code`)
const whysOf = statement<{ id: number; why: string | null }>(
  'select id, why from deliveries where id = any($1::bigint[])',
)
const failedEvents = statement<Group & { kind: string; state: string; inConflict: unknown }>(`
  select kind, state, in_conflict as "inConflict", count(*) as count, min(id) as first, max(id) as newest from (
      select id, kind, state, conflict_with is not null as in_conflict from events
        where (state <> 'routed' or conflict_with is not null) and dismissed_at is null limit ${LOOKED_AT}) as failed
    group by kind, state, in_conflict order by kind`)
const problemsOf = statement<{ id: number; why: string | null }>(
  'select id, problem as why from events where id = any($1::bigint[])',
)

/** Of each group, when its first event was received, and why its newest failed. */
async function aboutGroups(query: Query, groups: readonly Group[], asked: typeof whysOf) {
  const received = await receivedAt(query, groups)
  const newest = groups.map((group) => group.newest)
  const whys = new Map((await query(asked, [newest])).map(({ id, why }) => [id, why]))
  return ({ count, first, newest }: Group) => {
    return { count, oldest: received({ first }) ?? 0, newest, why: whys.get(newest) ?? null }
  }
}

/** What needs an operator, by cause. */
async function readFailures(query: Query): Promise<Failures> {
  const deliveries = await query(failedDeliveries)
  const events = await query(failedEvents)
  const aboutDelivery = await aboutGroups(query, deliveries, whysOf)
  const aboutEvent = await aboutGroups(query, events, problemsOf)
  const sums = [deliveries, events].map((groups: readonly Group[]) => sumOf(groups, ({ count }) => count))
  return {
    deliveries: deliveries.map((group) => {
      const { destination, state, code, open } = group
      return { destination, state, code, inDoubt: state === 'held' && Boolean(open), ...aboutDelivery(group) }
    }),
    events: events.map((group) => {
      const { kind, state, inConflict } = group
      const cause = inConflict ? 'conflict' : state === 'quarantined' ? 'quarantined' : 'unrouted'
      return { kind, cause, ...aboutEvent(group) }
    }),
    cut: sums.some((sum) => sum >= LOOKED_AT),
  }
}
