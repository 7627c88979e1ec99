import type { Range } from '../completeness/covered.ts'
import type { Texts } from '../values/field.ts'
import type { Instant } from '../values/instant.ts'
import { wallClockInstant } from '../values/store-time.ts'

export type StoreMatch = Texts<'storeId' | 'number' | 'countryCode' | 'zone'>

export interface StoreIndex {
  stores: readonly IndexedStore[]
  find(ref: StoreRef): StoreMatch | null
  keyOf(place: Pick<StoreMatch, 'storeId' | 'number' | 'countryCode'>): string | null
  countryOf(number: string): string | null
  numberOfStore(storeId: string): string | null
  nameOfStore(storeId: string): string | null
  numberOf(stockId: string): string | null
  zoneOfStock(stockId: string): string | null
}

export type IndexedStore = Pick<StoreRecord, 'storeId' | 'number' | 'stockId' | 'countryCode'> & {
  zone?: string | null
  name?: string | null
  currency?: string | null
  goneAt?: Instant | null
}

export function storesNumbered<Store extends Pick<StoreRecord, 'number'>>(
  stores: readonly Store[],
  number: string,
): Store[] {
  const key = numberKey(number)
  return stores.filter((one) => one.number !== null && numberKey(one.number) === key)
}

export function createStoreIndex(records: readonly IndexedStore[]): StoreIndex {
  const byNumber = Map.groupBy(records, ({ number }) => number && numberKey(number))
  const byStoreId = Map.groupBy(records, ({ storeId }) => storeId)
  const byStockId = Map.groupBy(records, ({ stockId }) => stockId)
  const ofNumber = (number: string) => byNumber.get(numberKey(number)) ?? []
  const countryOf = (number: string) => common(ofNumber(number), 'countryCode')
  const ofStock = (stockId: string) => byStockId.get(stockId) ?? []

  const byZone = [...Map.groupBy(records, ({ zone }) => zone ?? null)].filter(([zone]) => zone !== null)
  const usual = byZone.sort(([, one], [, other]) => other.length - one.length)[0]?.[0] ?? null

  return {
    stores: records,
    countryOf,
    keyOf({ storeId, number, countryCode }) {
      if (number === null) return storeId === null ? null : `id-${storeId}`
      const isShared = countryCode !== null && ofNumber(number).length > 0 && countryOf(number) === null
      return isShared ? `${countryCode}-${number}` : number
    },
    numberOfStore: (storeId) => common(byStoreId.get(storeId) ?? [], 'number'),
    nameOfStore: (storeId) => byStoreId.get(storeId)?.[0]?.name ?? null,
    numberOf: (stockId) => common(ofStock(stockId), 'number'),
    zoneOfStock: (stockId) => common(ofStock(stockId), 'zone') ?? usual,
    find({ number, storeId, stockId, stockNumber, countryCode }) {
      const byId = (storeId !== null && byStoreId.get(storeId)) || []
      // The payload may be newer than the records.
      if (number !== null) {
        const same = byId.length > 0 ? storesNumbered(byId, number) : byId
        const numbered = ofNumber(number)
        const there = numbered.filter((one) => one.countryCode === countryCode)
        const stores = [same, there, numbered].find((some) => some.length > 0) ?? []
        const place = stores.length > 0 ? commonMatch(stores) : NO_MATCH
        return { ...place, number, storeId: storeId ?? place.storeId, countryCode: place.countryCode ?? countryCode }
      }
      const stores =
        (byId.length > 0 && byId) ||
        (stockId !== null && byStockId.get(stockId)) ||
        (stockNumber !== null && ofNumber(stockNumber)) ||
        []
      const found = commonMatch(stores)
      if ((found.storeId ?? found.number ?? found.countryCode) !== null) return found
      return storeId === null && countryCode === null ? null : { storeId, number: null, countryCode, zone: null }
    },
  }
}

export function presentOf(stores: readonly IndexedStore[]): IndexedStore[] {
  return stores.filter(({ goneAt }) => goneAt === undefined || goneAt === null)
}

/** Also those that were closed on that day, or since. */
export function presentOn(stores: readonly IndexedStore[], day: string | undefined): IndexedStore[] {
  return day === undefined ? presentOf(stores) : stores.filter(({ goneAt }) => (goneAt ?? Infinity) >= Date.parse(day))
}

export function numberKey(number: string): string {
  return number.trim().toLowerCase()
}

const NO_MATCH: StoreMatch = { storeId: null, number: null, countryCode: null, zone: null }

function commonMatch(stores: readonly IndexedStore[]): StoreMatch {
  const [storeId, number] = [common(stores, 'storeId'), common(stores, 'number')]
  return { storeId, number, countryCode: common(stores, 'countryCode'), zone: common(stores, 'zone') }
}

function common(stores: readonly IndexedStore[], what: keyof StoreMatch): string | null {
  const first = stores[0]?.[what] ?? null
  return stores.every((store) => store[what] === first) ? first : null
}

export type ResolvedStore = Texts<'storeNo' | 'storeId' | 'storeKey' | 'country' | 'zone'>
const NOTHING: StoreRef = { number: null, storeId: null, stockId: null, stockNumber: null, countryCode: null }

export function resolveStore(storeIndex: StoreIndex, ref: Partial<StoreRef>): ResolvedStore {
  const given = { ...NOTHING, ...ref }
  const found = storeIndex.find(given)
  const zone = found?.zone ?? (given.stockId === null ? null : storeIndex.zoneOfStock(given.stockId))
  const place = {
    storeId: found?.storeId ?? given.storeId,
    number: found?.number ?? given.number,
    countryCode: found?.countryCode ?? given.countryCode,
  }
  const { number: storeNo, storeId, countryCode: country } = place
  return { storeNo, storeId, storeKey: storeIndex.keyOf(place), country, zone }
}

export type StoreRef = Texts<'number' | 'storeId' | 'stockId' | 'stockNumber' | 'countryCode'>

export interface StoreRecord extends Texts<'number' | 'name' | 'stockId' | 'countryCode' | 'currency' | 'zone'> {
  storeId: string
}

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
