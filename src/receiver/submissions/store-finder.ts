import type { z } from 'zod'
import type { Path } from '../../config/schema/schemas-at.ts'
import { type KnownStore, presentOf, type StoreIndex, storesNumbered } from '../../domain/places/store-index.ts'
import type { Misfit } from '../../domain/values/errors.ts'
import { otherCurrency } from '../../domain/values/money.ts'
import { type Checked, fault, found, Name, OptionalId, partOf } from './fields.ts'

/** The platform's stores are not known yet, so nothing that names one can be checked. */
export class StoresUnknownError extends Error {
  override name = 'StoresUnknownError'
}

/** Stores as submissions name them. Every method throws a StoresUnknownError while no store is known. */
export interface StoreFinder {
  byNumber(number: string, at: Path): Checked<KnownStore>
  byId(storeId: string, at: Path): Checked<KnownStore>
  /** By exactly one of the two. */
  named(names: StoreNames): Checked<KnownStore>
  /** The store that online sales of a country are imported under (`platform.saleStores`). */
  ofCountry(country: string, at: Path): Checked<KnownStore>
}

interface StoreNames {
  storeNo?: string | null | undefined
  storeId?: string | null | undefined
}

const NAMED = 20

export function createStoreFinder(
  storeIndex: () => StoreIndex,
  saleStores: Readonly<Record<string, string>>,
): StoreFinder {
  let of: StoreIndex | null = null
  let present: KnownStore[] = []

  /** Stores that the platform has: its list is read again now and then. */
  function stores(): readonly KnownStore[] {
    const now = storeIndex()
    if (now !== of) present = presentOf(now.stores)
    of = now
    if (present.length > 0) return present
    throw new StoresUnknownError('The hub has not read the stores of the platform yet.')
  }

  function only(matches: KnownStore[], at: Path, written: string, name: 'number' | 'storeId'): Checked<KnownStore> {
    const [store, second] = matches
    if (store && !second) return { value: store }
    const several = 'a store by its storeId: several have this number'
    const expected = store ? several : `one of ${listed(stores().map((one) => one[name]))}`
    return { faults: [fault(at, found(written), expected)] }
  }

  function byNumber(number: string, at: Path): Checked<KnownStore> {
    return only(storesNumbered(stores(), number), at, number, 'number')
  }

  function byId(storeId: string, at: Path): Checked<KnownStore> {
    const matches = stores().filter((store) => store.storeId === storeId)
    return only(matches, at, storeId, 'storeId')
  }

  return {
    byNumber,
    byId,
    named({ storeNo, storeId }) {
      if (storeNo && !storeId) return byNumber(storeNo, ['storeNo'])
      if (storeId && !storeNo) return byId(storeId, ['storeId'])
      return { faults: [`found ${storeNo ? 'both' : 'neither'}, expected exactly one of storeNo and storeId`] }
    },
    ofCountry(country, at) {
      const number = saleStores[country]
      if (number === undefined) {
        const countries = Object.keys(saleStores)
        const expected = countries.length > 0 ? `one of ${listed(countries)}` : 'storeNo or storeId'
        return { faults: [`${fault(at, found(country), expected)} (platform.saleStores names a store for a country)`] }
      }
      const checked = byNumber(number, at)
      if ('value' in checked) return checked
      const why = `platform.saleStores gives ${country} the store ${number}, which the platform does not have`
      return { faults: [`${fault(at, found(country), 'a country with a store')}: ${why}`] }
    },
  }
}

function listed(names: readonly (string | null)[]): string {
  const known = names.filter((name) => name !== null)
  const more = known.length > NAMED ? ` and ${known.length - NAMED} more` : ''
  return known.length === 0 ? 'no store: none has a number' : `${known.slice(0, NAMED).join(', ')}${more}`
}

/** The store that something is of: by exactly one of the first two. */
export const whichStore = {
  storeNo: Name.nullish().describe('The number of the store, instead of storeId.'),
  storeId: OptionalId.describe("The platform's id of the store."),
  stockId: OptionalId.describe("Without it, the store's own stock."),
}

export interface StorePlace {
  storeId: string
  stockId: string
}

/** Money in another currency than that of the store that it goes to: of the payments, and of whatever else names one. */
export function currencyFaults(
  money: readonly { currency?: string | null | undefined }[],
  store: Checked<KnownStore>,
): string[] {
  if ('faults' in store) return []
  const { number, storeId, currency } = store.value
  const faults = money.flatMap((one) => otherCurrency(one.currency, currency, `store ${number ?? storeId}`) ?? [])
  return [...new Set(faults)]
}

/** The store and its stock that an item names, or what is wrong with them: also where something else of it is wrong. */
export function placeOf(
  schema: z.ZodObject<typeof whichStore & z.ZodRawShape>,
  value: unknown,
  { stores }: { stores: StoreFinder },
): Checked<StorePlace> {
  const names = partOf(schema, ['storeNo', 'storeId', 'stockId'], value)
  if (names === null) return { faults: [] }
  const { storeNo, storeId, stockId } = names as { storeNo?: string; storeId?: string; stockId?: string }
  const store = stores.named({ storeNo, storeId })
  if ('faults' in store) return store
  const stock = stockId ?? store.value.stockId
  if (stock === null) return { faults: [fault(['stockId'], 'nothing', 'a stockId: this store has no stock')] }
  return { value: { storeId: store.value.storeId, stockId: stock } }
}

/** How a stock is named: by exactly one of these. */
export const whichStock = {
  stockId: OptionalId.describe("The platform's id of the stock."),
  stockNo: Name.nullish().describe('The number of the store whose stock it is, instead of stockId.'),
}

export interface NamedStock {
  stockId?: string | null | undefined
  stockNo?: string | null | undefined
}

const ONE_STOCK = 'exactly one of stockId and stockNo'

/** The fault of a level whose stock another system writes: one writer a stock. */
export function writtenByAnother(
  stockId: string,
  at: Path,
  { system, stockWriters }: { system: string; stockWriters?: Readonly<Record<string, string>> },
): string[] {
  const writer = stockWriters?.[stockId]
  if (writer === undefined || writer === system) return []
  const expected = `levels of it from ${writer} alone (platform.stockWriters in config)`
  return [fault(at, 'a stock that another system writes', expected)]
}

/** The id of a stock. One may be without a store (that of the online shop), so an id is taken as it is. */
export function stockNamed({ stockId, stockNo }: NamedStock, stores: StoreFinder): Checked<string> {
  if (stockId && !stockNo) return { value: stockId }
  if (!stockNo || stockId) return { faults: [`found ${stockId ? 'both' : 'neither'}, expected ${ONE_STOCK}`] }
  const store = stores.byNumber(stockNo, ['stockNo'])
  if ('faults' in store) return store
  if (store.value.stockId !== null) return { value: store.value.stockId }
  return { faults: [fault(['stockNo'], JSON.stringify(stockNo), 'a store that has a stock; give the stockId')] }
}

/**
 * Where config lets a store stand for a country that it is not in, or that shares its number, among the stores that are known.
 * Of one that is not among them nothing is said here: it may be a new one.
 */
export function saleStoreMisfits(
  saleStores: Readonly<Record<string, string>>,
  stores: readonly KnownStore[],
): Misfit[] {
  return Object.entries(saleStores).flatMap(([country, number]): Misfit[] => {
    const path = ['platform', 'saleStores', country]
    const numbered = storesNumbered(stores, number)
    const present = presentOf(numbered)
    // One that is gone counts as well: a store that closes must not keep the hub from taking webhooks.
    const found = present.length > 0 ? present : numbered
    if (found.length > 1)
      return [
        { path, found: `${number}, which ${found.length} stores have`, expected: 'the number of one store alone' },
      ]
    const elsewhere = found.find(({ countryCode }) => countryCode !== null && countryCode.toUpperCase() !== country)
    if (!elsewhere) return []
    return [{ path, found: `${number}, a store in ${elsewhere.countryCode}`, expected: `a store in ${country}` }]
  })
}
