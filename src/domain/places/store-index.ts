import type { Instant } from '../values/instant.ts'
import type { StoreRecord } from './store-record.ts'

/** Where an event happened, as far as it can be told. */
export interface StorePlace {
  /** The platform's id of the store. */
  storeId: string | null
  number: string | null
  countryCode: string | null
  /** IANA id of its time zone. */
  zone: string | null
}

/** The platform's stores, to look up. */
export interface StoreIndex {
  /** All that are known; none before they were read from the platform for the first time. */
  stores: readonly KnownStore[]
  /** The place that a payload means; null: it cannot be told. */
  find(ref: StoreRef): StorePlace | null
  /**
   * The key that tells a store from all others, for names of files and the like: its number, with its country before it where stores of
   * several countries have that number (`NO-7`), else `id-` and the platform's id. Null: nobody says which store it is.
   */
  keyOf(place: Pick<StorePlace, 'storeId' | 'number' | 'countryCode'>): string | null
  /** The country of the store with this number; null: no such store is known, or several that differ. */
  countryOf(number: string): string | null
  /** The number of the store with this id of the platform's; null: it has none. */
  numberOfStore(storeId: string): string | null
  /** The name of the store with this id of the platform's; null: nobody knows it. */
  nameOfStore(storeId: string): string | null
  /** The number of the store that has this stock; null: none, or several. */
  numberOf(stockId: string): string | null
  /** The time zone of a stock: that of its stores, else the one that most stores have; null: none is known. */
  zoneOfStock(stockId: string): string | null
}

/** A store as far as it is looked up. */
export type KnownStore = Pick<StoreRecord, 'storeId' | 'number' | 'stockId' | 'countryCode'> & {
  zone?: string | null
  name?: string | null
  /** ISO 4217. */
  currency?: string | null
  /** Since when the platform does not have it any more: events of before may still be about it. */
  goneAt?: Instant | null
}

/** The stores that have this number: several where countries number theirs alike. */
export function storesNumbered<Store extends Pick<StoreRecord, 'number'>>(
  stores: readonly Store[],
  number: string,
): Store[] {
  const key = numberKey(number)
  return stores.filter((one) => one.number !== null && numberKey(one.number) === key)
}

/** Makes the records findable by number, store id and stock id. */
export function createStoreIndex(records: readonly KnownStore[]): StoreIndex {
  const byNumber = Map.groupBy(records, ({ number }) => number && numberKey(number))
  const byStoreId = Map.groupBy(records, ({ storeId }) => storeId)
  const byStockId = Map.groupBy(records, ({ stockId }) => stockId)
  const ofNumber = (number: string) => byNumber.get(numberKey(number)) ?? []
  const countryOf = (number: string) => common(ofNumber(number), 'countryCode')
  const ofStock = (stockId: string) => byStockId.get(stockId) ?? []

  const usual = mostOf(records.flatMap(({ zone }) => zone ?? []))

  return {
    stores: records,
    countryOf,
    keyOf({ storeId, number, countryCode }) {
      if (number === null) return storeId === null ? null : `id-${storeId}`
      const isShared = ofNumber(number).length > 0 && countryOf(number) === null && countryCode !== null
      return isShared ? `${countryCode}-${number}` : number
    },
    numberOfStore: (storeId) => common(byStoreId.get(storeId) ?? [], 'number'),
    nameOfStore: (storeId) => byStoreId.get(storeId)?.[0]?.name ?? null,
    numberOf: (stockId) => common(ofStock(stockId), 'number'),
    zoneOfStock: (stockId) => common(ofStock(stockId), 'zone') ?? usual,
    find({ number, storeId, stockId, stockNumber, countryCode }) {
      // Several stores may have one number: its id tells which it is.
      const byId = (storeId !== null && byStoreId.get(storeId)) || []
      // A number counts though no record has it: the payload is newer than the records.
      if (number !== null) {
        const same = storesNumbered(byId, number)
        const stores = same.length > 0 ? same : inCountry(ofNumber(number), countryCode)
        return {
          storeId: storeId ?? common(stores, 'storeId'),
          number,
          countryCode: common(stores, 'countryCode') ?? countryCode,
          zone: common(stores, 'zone'),
        }
      }
      const stores =
        (byId.length > 0 && byId) ||
        (stockId !== null && byStockId.get(stockId)) ||
        (stockNumber !== null && byNumber.get(numberKey(stockNumber))) ||
        []
      const found = placeOf(stores)
      if (found !== null) return found
      return storeId === null && countryCode === null ? null : { storeId, number: null, countryCode, zone: null }
    },
  }
}

/** The stores that the platform still has. */
export function presentOf(stores: readonly KnownStore[]): KnownStore[] {
  return stores.filter(({ goneAt }) => goneAt === undefined || goneAt === null)
}

/** Where countries number their stores alike, the country tells which one is meant; one that none of them is in tells nothing. */
function inCountry(stores: readonly KnownStore[], countryCode: string | null): readonly KnownStore[] {
  const there = stores.filter((one) => one.countryCode === countryCode)
  return there.length > 0 ? there : stores
}

/** The numbers of stores are compared without case, as people type them. */
export function numberKey(number: string): string {
  return number.trim().toLowerCase()
}

/** The one that is there most often; null: there is none. */
function mostOf(texts: readonly string[]): string | null {
  const groups = [...Map.groupBy(texts, (text) => text)]
  return groups.sort(([, one], [, other]) => other.length - one.length)[0]?.[0] ?? null
}

/** Several stores may share a stock: what they agree on is known. */
function placeOf(stores: readonly KnownStore[]): StorePlace | null {
  const place = {
    storeId: common(stores, 'storeId'),
    number: common(stores, 'number'),
    countryCode: common(stores, 'countryCode'),
    zone: common(stores, 'zone'),
  }
  return place.storeId === null && place.number === null && place.countryCode === null ? null : place
}

function common(stores: readonly KnownStore[], what: 'storeId' | 'number' | 'countryCode' | 'zone'): string | null {
  const first = stores[0]?.[what] ?? null
  return stores.every((store) => store[what] === first) ? first : null
}

/** A store as the books name it. Null: nobody says. */
export interface KnownPlace {
  /** The retailer's own number. */
  storeNo: string | null
  /** The platform's id. */
  storeId: string | null
  /** The text that tells it from all other stores (StoreIndex.keyOf). */
  storeKey: string | null
  /** ISO 3166, in capitals. */
  country: string | null
  /** IANA id of its time zone. */
  zone: string | null
}

const NOTHING: StoreRef = { number: null, storeId: null, stockId: null, stockNumber: null, countryCode: null }

/** The store that is meant; what the platform's list does not know is as it was given. */
export function knownPlace(storeIndex: StoreIndex, ref: Partial<StoreRef>): KnownPlace {
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

/** A store as a payload names it. Everything is null where the payload says nothing. */
export interface StoreRef {
  /** The retailer's own number. */
  number: string | null
  storeId: string | null
  stockId: string | null
  /** The retailer's own id of the stock; often, but not for certain, the number of its store. */
  stockNumber: string | null
  /** The store's country, not a customer's. */
  countryCode: string | null
}
