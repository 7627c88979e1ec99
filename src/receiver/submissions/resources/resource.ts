import { z } from 'zod'
import { isMap, type Path } from '../../../config/schema/schemas-at.ts'
import type { SubmitScope } from '../../../domain/access/scope.ts'
import type { Link } from '../../../domain/orders/link.ts'
import { type KnownStore, presentOf, type StoreIndex, storesNumbered } from '../../../domain/places/store-index.ts'
import type { Misfit } from '../../../domain/values/errors.ts'
import { otherCurrency } from '../../../domain/values/money.ts'
import type { Arrival } from '../../../store/arrival.ts'
import {
  type Checked,
  check,
  fault,
  found,
  type IsPrivate,
  Name,
  nothingPrivate,
  OptionalId,
  partOf,
} from '../fields.ts'

/** An item that can be taken: an event to be. */
export interface Readable {
  kind: string
  /** The payload, of domain/catalogue/submitted.ts. */
  payload: object
  /** Ids that the submitting system says are the same thing. */
  links?: Omit<Link, 'destination'>[]
  /** See Arrival. */
  acknowledges?: Arrival['acknowledges']
  /** The sender of a sale says that its order did not begin at a till. */
  beganOnline?: true
}

/** An item as it was read: it can be taken, or everything that is wrong with it. */
export type Reading = Readable | { faults: string[] }

export interface ReadingContext {
  system: string
  /** Products that the platform has already are left alone (`mode=insert`). */
  insertOnly: boolean
  /** Products are sent even if they are what the platform acknowledged last (`force=true`). */
  force: boolean
  /** Customers are for the hub's own directory alone (`directoryOnly=true`). */
  directoryOnly?: boolean
  stores: StoreFinder
  /** The system that alone writes the levels of a stock, by the stock's id; a stock that is not named, any may write. */
  stockWriters?: Readonly<Record<string, string>>
  wholeQuantities?: boolean
}

export interface Resource {
  scope: SubmitScope
  /** The objects that a JSON body may hold. */
  objects: readonly z.ZodType[]
  line: z.ZodType
  /** An object of a JSON body: one item, or several that are written together. */
  readObject(value: unknown, context: ReadingContext): Iterable<Reading>
  readLine(value: unknown, context: ReadingContext): Reading
  /** Reading needs to know which orders began at a till. */
  asksEndlessAisle?: true
}

/** Turns what is right into an event, what is wrong into its faults. */
export function readingOf<T>(checked: { value: T } | { faults: string[] }, take: (value: T) => Reading): Reading {
  return 'faults' in checked ? checked : take(checked.value)
}

/** A resource of one schema, an object or a line an item. */
export function single(
  scope: Resource['scope'],
  schema: z.ZodType,
  read: (value: unknown, context: ReadingContext) => Reading,
): Resource {
  return {
    scope,
    objects: [schema],
    line: schema,
    readObject: (value, context) => [read(value, context)],
    readLine: read,
  }
}

/** The same, where its fields alone say all. `isPrivate`: whose values are not shown in faults. */
export function resourceOf<Schema extends z.ZodType>(
  scope: Resource['scope'],
  schema: Schema,
  isPrivate: IsPrivate,
  take: (value: z.output<Schema>, context: ReadingContext) => Reading,
): Resource {
  return single(scope, schema, (value, context) =>
    readingOf(check(schema, value, isPrivate), (checked) => take(checked, context)),
  )
}

/** The fault of a quantity that is no whole number. A platform that counts in them would refuse all that goes out with it. */
export function inPieces({ wholeQuantities }: ReadingContext, quantity: string, at: Path): string[] {
  return wholeQuantities && quantity.includes('.') ? [fault(at, quantity, 'a whole number')] : []
}

/** Items written together: what they have in common, once, and a list of the rest of each. */
export interface Group<Common extends z.ZodObject, Each extends z.ZodType> {
  list: string
  common: Common
  each: Each
}

/** A group without a limit: its items are read one by one. */
const ANY = Number.POSITIVE_INFINITY

export function groupSchema({ list, common, each }: Group<z.ZodObject, z.ZodType>): z.ZodObject {
  return common.extend({ [list]: z.array(each).min(1) }).strict()
}

/**
 * Reads each item of a group. What is wrong with what they have in common is told with the first, and the others are
 * checked all the same: everything that is wrong is told at once.
 */
export function* readGroup<Common extends z.ZodObject, Each extends z.ZodType>(
  { list, common, each }: Group<Common, Each>,
  value: unknown,
  join: (common: z.output<Common>, each: z.output<Each>) => Reading,
): Generator<Reading, void, undefined> {
  const whole = check(common.extend({ [list]: z.array(z.unknown()).min(1) }).strict(), value, nothingPrivate, [], ANY)
  const shell = 'value' in whole ? withoutList<z.output<Common>>(whole.value, list) : null
  let shared = 'faults' in whole ? whole.faults : []
  const items: unknown[] = isMap(value) && Array.isArray(value[list]) ? value[list] : []
  if (items.length === 0) yield { faults: shared }
  for (const [index, item] of items.entries()) {
    const checked = check(each, item, nothingPrivate, [list, index])
    const own = 'faults' in checked ? checked.faults : []
    if (shell && 'value' in checked) yield join(shell, checked.value)
    else yield { faults: [...shared, ...own] }
    shared = []
  }
}

function withoutList<Common>(whole: Record<string, unknown>, list: string): Common {
  const { [list]: _, ...common } = whole
  return common as Common
}

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
