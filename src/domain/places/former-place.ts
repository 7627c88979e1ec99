import type { Range } from '../ledger/covered.ts'
import type { Instant } from '../values/instant.ts'
import { wallClockInstant } from '../values/store-time.ts'
import type { StoreRecord } from './store-record.ts'

/** What a store and its stock are called: what is kept of it by that name stays so when the platform names it otherwise. */
type Called = Pick<StoreRecord, 'storeId' | 'number' | 'stockId'>

/** What a store was called until the hub read something else. */
export interface FormerPlace extends Called {
  until: Instant
}

/** A store as it is known now, and its clock. One that the platform does not have any more has its last name until then. */
type Clocked = Called & { zone?: string | null; goneAt?: Instant | null }

/** A name, and the stretch of time in which it may have been the store's. `read`: since when the hub has read it. */
type Named = Called & Range & { zone: string | null; read: Instant }

const DAY = 86_400_000

/** The hub reads the stores every six hours, and may have stood still: what it learns then may have been so for a while. */
const LEARNT_LATE = 2 * DAY

/** How much earlier a day begins in the east than in UTC. */
const EASTERNMOST = 14 * 3_600_000

/** The stocks of a store at some time of a stretch. Another store may have had one before, or have it since. */
export function stocksDuring(store: Called, former: readonly FormerPlace[], stretch: Range): string[] {
  return distinct(
    namesOf(store, former).filter((name) => overlap(name, stretch)),
    'stockId',
  )
}

/** All that tills' records of a store are kept by: each number that it has had, and its id, for times when none was known. */
export function tillNames(store: Called, former: readonly FormerPlace[]): string[] {
  return [...new Set([...distinct(namesOf(store, former), 'number'), store.storeId])]
}

/** A record of a till. */
interface TillRow {
  place: string | null
  /** The store's own day. */
  day: string
  body: Readonly<Record<string, unknown>>
}

/**
 * Says of which stores a record of a till may be, by the platform's ids: the one that it names, else those that were called so on its day;
 * where none was, as far as the hub could read, those that ever were. None: nobody knows.
 */
export function storesOfRow(stores: readonly Clocked[], former: readonly FormerPlace[]) {
  const called = namesByNumber(stores, former)
  return ({ place, day, body }: TillRow): string[] => {
    if (typeof body.storeId === 'string') return [body.storeId]
    if (place === null) return []
    const then = { from: Date.parse(day) - EASTERNMOST, to: Date.parse(day) + DAY }
    const ever = called.get(place) ?? []
    const those = ever.filter((name) => overlap(name, then))
    return idsOf(those.length > 0 ? those : ever)
  }
}

/**
 * As `storesOfRow`, by the moment of the record: of several that may be meant, those that the hub knew by this name then. Who had it for
 * some hours before the hub read that is taken for the one who had it before.
 */
export function likelyStoresOfRow(stores: readonly Clocked[], former: readonly FormerPlace[]) {
  const called = namesByNumber(stores, former)
  const storesOf = storesOfRow(stores, former)
  return (row: TillRow): string[] => {
    const possible = storesOf(row)
    const { soldAt, settledAt, to } = row.body
    const at = [soldAt, settledAt, to].find((one) => typeof one === 'string')
    if (possible.length < 2 || at === undefined) return possible
    const known = (called.get(row.place) ?? []).filter(({ read, to, zone }) => {
      const instant = wallClockInstant(at, zone)
      return instant !== null && read <= instant && instant < to
    })
    return known.length > 0 ? idsOf(known) : possible
  }
}

function namesByNumber(stores: readonly Clocked[], former: readonly FormerPlace[]) {
  const names = stores.flatMap((store) => namesOf(store, former))
  return Map.groupBy(names, ({ number }) => number)
}

function idsOf(names: readonly Called[]): string[] {
  return [...new Set(names.map(({ storeId }) => storeId))]
}

/** Each name of a store with the time in which it may have been its own, the oldest first. */
function namesOf(store: Clocked, former: readonly FormerPlace[]): Named[] {
  const before = former.filter(({ storeId }) => storeId === store.storeId)
  const all = [...before, { ...store, until: store.goneAt ?? Number.POSITIVE_INFINITY }]
  return all.map(({ storeId, number, stockId, until }, nth) => {
    const read = all[nth - 1]?.until ?? Number.NEGATIVE_INFINITY
    return { storeId, number, stockId, zone: store.zone ?? null, read, from: read - LEARNT_LATE, to: until }
  })
}

function overlap(one: Range, other: Range): boolean {
  return one.from < other.to && other.from < one.to
}

function distinct(places: readonly Called[], name: 'number' | 'stockId'): string[] {
  return [...new Set(places.flatMap((place) => place[name] ?? []))]
}
