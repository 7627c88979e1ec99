import type { Range } from '../completeness/covered.ts'
import type { Instant } from '../values/instant.ts'
import { wallClockInstant } from '../values/store-time.ts'
import type { StoreRecord } from './store-index.ts'

type Called = Pick<StoreRecord, 'storeId' | 'number' | 'stockId'>

export interface FormerPlace extends Called {
  until: Instant
}

type Clocked = Called & { zone?: string | null; goneAt?: Instant | null }
type Named = Called & Range & { zone: string | null; read: Instant }
const DAY = 86_400_000
const LEARNT_LATE = 2 * DAY

/** (ms) */
const EASTERNMOST = 14 * 3_600_000

export function stocksDuring(store: Called, former: readonly FormerPlace[], stretch: Range): string[] {
  const then = namesOf(store, former).filter((name) => overlap(name, stretch))
  return distinct(then, 'stockId')
}

export function posNames(store: Called, former: readonly FormerPlace[]): string[] {
  return [...new Set([...distinct(namesOf(store, former), 'number'), store.storeId])]
}

interface PosRow {
  place: string | null
  day: string
  body: Readonly<Record<string, unknown>>
}

/** Stores a record may belong to: by id, else by name on its day, else by any former name. Empty: unknown. */
export function storesOfRow(stores: readonly Clocked[], former: readonly FormerPlace[]) {
  const called = namesByNumber(stores, former)
  return ({ place, day, body }: PosRow): string[] => {
    if (typeof body.storeId === 'string') return [body.storeId]
    if (place === null) return []
    const then = { from: Date.parse(day) - EASTERNMOST, to: Date.parse(day) + DAY }
    const ever = called.get(place) ?? []
    const those = ever.filter((name) => overlap(name, then))
    return distinct(those.length > 0 ? those : ever, 'storeId')
  }
}

export function likelyStoresOfRow(stores: readonly Clocked[], former: readonly FormerPlace[]) {
  const called = namesByNumber(stores, former)
  const storesOf = storesOfRow(stores, former)
  return (row: PosRow): string[] => {
    const possible = storesOf(row)
    const { soldAt, settledAt, to } = row.body
    const at = [soldAt, settledAt, to].find((one) => typeof one === 'string')
    if (possible.length < 2 || at === undefined) return possible
    const known = (called.get(row.place) ?? []).filter(({ read, to, zone }) => {
      const instant = wallClockInstant(at, zone)
      return instant !== null && read <= instant && instant < to
    })
    return known.length > 0 ? distinct(known, 'storeId') : possible
  }
}

function namesByNumber(stores: readonly Clocked[], former: readonly FormerPlace[]) {
  const names = stores.flatMap((store) => namesOf(store, former))
  return Map.groupBy(names, ({ number }) => number)
}

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

function distinct(places: readonly Called[], name: keyof Called): string[] {
  return [...new Set(places.flatMap((place) => place[name] ?? []))]
}
