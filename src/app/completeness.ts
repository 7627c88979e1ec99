import type { Config } from '../config/config.ts'
import { dayRange, type Range } from '../domain/completeness/covered.ts'
import { OWN_KINDS, PLATFORM, payloadOf } from '../domain/queue/event.ts'
import { stocksDuring, storesOfRow } from '../domain/stores/store-index.ts'
import { text } from '../domain/values/field.ts'
import { utcDay } from '../domain/values/instant.ts'
import { dayIn } from '../domain/values/store-time.ts'
import { knownSubscriptions, wantedIds } from '../jobs/subscriptions/decide.ts'
import { readSubscribedKinds } from '../jobs/subscriptions/subscriptions.ts'
import { chunksOf } from '../lib/collections.ts'
import { evaluate } from '../lib/jsonata.ts'
import { orElse } from '../lib/or-else.ts'
import { KINDS, storeRefOf } from '../platform/payloads/kinds.ts'
import { SHAPES } from '../platform/payloads/known/kinds.ts'
import { type Mappings, mapped } from '../platform/payloads/mapping/mapping.ts'
import { fieldsOf } from '../platform/payloads/read-field.ts'
import type { Platform } from '../platform/platform.ts'
import type {
  AskedEvents,
  CompletenessContext,
  ReadWantedLogs,
  UnresolvedEvents,
} from '../storage/read-completeness.ts'
import type { EventFilter, EventRow } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'

export function createCompletenessContext(
  { server, platform: asked }: Pick<Config, 'server' | 'platform'>,
  storage: Pick<Storage, 'jobs' | 'stores' | 'events' | 'bodies' | 'formerPlaces'>,
  platform: Pick<Platform, 'operations'> | null,
): CompletenessContext {
  const { kinds } = asked.webhooks
  return {
    wantedLogs: createWantedLogs({ server, platform: asked }, storage, platform),
    unresolved: (of) => readUnresolved(storage, asked.payloads, of),
    async kinds() {
      if (platform === null) return { offered: [], wanted: [] }
      const specified = KINDS.map(({ name }) => name)
      if (kinds !== 'all') return { offered: [...new Set([...specified, ...(kinds ?? [])])], wanted: kinds ?? [] }
      // Before the first subscriptions check: all kinds of the specification.
      const offered = await readSubscribedKinds(storage)
      return { offered: offered.length > 0 ? offered : specified, wanted: offered }
    },
  }
}

/**
 * Chooses the event logs to scan: subscribed kinds and those compared by day lists. If it is unknown whether the platform lists
 * subscriptions, a kind proven by day lists needs no log unless its subscription id is known.
 */
function createWantedLogs(
  { server, platform: asked }: Pick<Config, 'server' | 'platform'>,
  storage: Pick<Storage, 'jobs' | 'stores'>,
  platform: Pick<Platform, 'operations'> | null,
): ReadWantedLogs {
  const { kinds: wanted, stores: named } = asked.webhooks
  if (platform === null || server.publicUrl === undefined) return async () => []
  return async (marks) => {
    const kinds = wanted === 'all' ? await readSubscribedKinds(storage) : (wanted ?? [])
    const byLists = marks.filter(({ level }) => level === 'lists').map(({ kind }) => kind)
    const hasList = await platform.operations.isProven('webhooks.list')
    const byId = hasList ? [] : (await knownSubscriptions(storage, asked.webhooks.ids)).map(({ kind }) => kind)
    const stores = await storesOf()
    return [...new Set([...kinds, ...byLists])]
      .filter((kind) => hasList || byId.includes(kind) || !byLists.includes(kind))
      .flatMap((kind) => (kinds.includes(kind) ? stores : [undefined]).map((storeId) => ({ kind, storeId })))
  }

  /** Undefined: a filter set elsewhere stays, or config names an unknown store. */
  async function storesOf(): Promise<readonly (string | null | undefined)[]> {
    if (named === undefined) return [undefined]
    if (named === 'all') return [null]
    return wantedIds(named, await storage.stores()) ?? [undefined]
  }
}

const MAX_READ = 1_000
const NAMED = 10

const OF_NO_DAY = new Set<string>(OWN_KINDS.filter((kind) => kind !== 'SalesLinesRead' && kind !== 'SettlementRead'))

/** Until resolved, the day may be incomplete. An unreadable event may be of any earlier day and any store. */
async function readUnresolved(
  records: Pick<Storage, 'events' | 'bodies' | 'stores' | 'formerPlaces'>,
  mappings: Mappings,
  { since, until, storeId }: AskedEvents,
): Promise<UnresolvedEvents[]> {
  const range = { from: since ?? Number.NEGATIVE_INFINITY, to: until ?? Number.POSITIVE_INFINITY }
  const isOf = await createStoreMatcher(records, mappings, storeId, range)
  const quarantined = await read({ state: 'quarantined' })
  const conflicts = await read({ conflict: true })
  const found: UnresolvedEvents[] = []
  for (const [state, { rows, more }] of [
    ['quarantined', quarantined],
    ['conflict', { ...conflicts, rows: conflicts.rows.filter((row) => row.state !== 'quarantined') }],
  ] as const) {
    for (const [kind, those] of Map.groupBy(rows, (row) => row.kind)) {
      const events = await isOf(
        kind,
        those.map(({ id }) => id),
      )
      if (events.length > 0 || more)
        found.push({ kind, state, count: events.length, events: events.slice(0, NAMED), more })
    }
  }
  return found

  /** Newest first; those of own systems, however many, hide none of the platform's. */
  async function read(which: EventFilter): Promise<{ rows: EventRow[]; more: boolean }> {
    const rows: EventRow[] = []
    for (let before: number | undefined; ; ) {
      const page = await records.events({
        ...{ dismissed: false, limit: MAX_READ, ...which },
        ...(since !== undefined && { since }),
        ...(before !== undefined && { before }),
      })
      rows.push(...page.filter(({ origin, kind }) => origin === PLATFORM && !OF_NO_DAY.has(kind)))
      if (page.length < MAX_READ) return { rows, more: false }
      if (rows.length >= MAX_READ) return { rows, more: true }
      before = page.at(-1)?.id
    }
  }
}

/** By the store's names of that time; unreadable ones match everything. */
async function createStoreMatcher(
  records: Pick<Storage, 'bodies' | 'stores' | 'formerPlaces'>,
  mappings: Mappings,
  storeId: string | null,
  range: Range,
) {
  const [stores, former] = await Promise.all([records.stores(), records.formerPlaces()])
  const storesOf = storesOfRow(stores, former)
  const asked = stores.find((one) => one.storeId === storeId) ?? null
  const stockIds = asked === null ? [] : stocksDuring(asked, former, range)
  return async (kind: string, ids: readonly number[]): Promise<number[]> => {
    const others = new Set<number>()
    for await (const { id, payload } of payloadsOf(records, kind, ids, mappings)) {
      const { stockId, storeId: named, number } = storeRefOf(kind, payload)
      const written = dayOf(kind, payload, asked?.zone ?? null)
      const day = written ?? utcDay(Number.isFinite(range.from) ? range.from : Date.now())
      const of = storesOf({ place: number, day, body: { storeId: named } })
      const byStock = stockId !== null && kind === 'StockMovementCreated'
      const isElsewhere =
        storeId !== null && (byStock ? !stockIds.includes(stockId) : of.length > 0 && !of.includes(storeId))
      const store = asked ?? (of.length === 1 ? stores.find((one) => one.storeId === of[0]) : null)
      if (isElsewhere || isOfOtherTime(written, store?.zone ?? null, range)) others.add(id)
    }
    return ids.filter((id) => !others.has(id))
  }
}

function isOfOtherTime(day: string | null, zone: string | null, { from, to }: Range): boolean {
  if (day === null) return false
  const own = dayRange(day, zone)
  return own.to <= from || own.from >= to
}

const BATCH_SIZE = 50

async function* payloadsOf(
  storage: Pick<Storage, 'bodies'>,
  kind: string,
  ids: readonly number[],
  mappings: Mappings,
): AsyncGenerator<{ id: number; payload: unknown }> {
  for (const some of chunksOf(ids, BATCH_SIZE))
    for (const { id, subscription, body } of await storage.bodies(some)) {
      const payload = orElse(() => mapped({ kind, subscription }, payloadOf({ body }), mappings, evaluate), null)
      if (payload !== null) yield { id, payload }
    }
}

function dayOf(kind: string, payload: unknown, zone: string | null): string | null {
  if (kind === 'SalesLinesRead') return text(payload, 'hour')?.slice(0, 10) ?? null
  const shape = SHAPES.get(kind)
  if (!shape) return null
  const read = fieldsOf(shape, payload)
  const name = DAYS.find((one) => Object.hasOwn(shape.fields, one) && read.text(one) !== null)
  const at = name === undefined ? null : read.text(name)
  return at === null ? null : orElse(() => dayIn(at, zone), null)
}

const DAYS = ['to', 'settledAt', 'createdAt', 'at'] as const
