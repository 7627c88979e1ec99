import { type IndexedStore, presentOf, type StoreIndex, storesNumbered } from '../../domain/stores/store-index.ts'
import { otherCurrency } from '../../domain/values/money.ts'
import { refusal } from '../problem.ts'
import { type Checked, fault, found, type ReadingContext, type StoreFinder } from './reading.ts'

const NAMED = 20

export function createStoreFinder(
  storeIndex: () => StoreIndex,
  saleStores: Readonly<Record<string, string>>,
): StoreFinder {
  let of: StoreIndex | null = null
  let present: IndexedStore[] = []

  function stores(): readonly IndexedStore[] {
    const now = storeIndex()
    if (now !== of) present = presentOf(now.stores)
    of = now
    if (present.length > 0) return present
    throw refusal(
      'stores-unknown',
      'The hub has not read the stores of the platform yet. The stores job reads them. Send it again then.',
    )
  }

  function only(
    matches: IndexedStore[],
    at: string,
    written: string,
    name: 'number' | 'storeId',
  ): Checked<IndexedStore> {
    const [store, second] = matches
    if (store && !second) return { value: store }
    const several = 'a store by its storeId: several have this number'
    const expected = store ? several : `one of ${listed(stores().map((one) => one[name]))}`
    return { faults: [fault([at], found(written), expected)] }
  }

  function byNumber(number: string, at = 'storeNo'): Checked<IndexedStore> {
    return only(storesNumbered(stores(), number), at, number, 'number')
  }

  return {
    byNumber,
    byId(storeId) {
      const matches = stores().filter((store) => store.storeId === storeId)
      return only(matches, 'storeId', storeId, 'storeId')
    },
    ofCountry(country) {
      const number = saleStores[country]
      if (number === undefined) {
        const countries = Object.keys(saleStores)
        const expected = countries.length > 0 ? `one of ${listed(countries)}` : 'storeNo or storeId'
        const why = 'platform.saleStores names a store for a country'
        return { faults: [`${fault(['country'], found(country), expected)} (${why})`] }
      }
      const checked = byNumber(number)
      if ('value' in checked) return checked
      const why = `platform.saleStores gives ${country} the store ${number}, which the platform does not have`
      return { faults: [`${fault(['country'], found(country), 'a country with a store')}: ${why}`] }
    },
  }
}

function listed(names: readonly (string | null)[]): string {
  const known = names.filter((name) => name !== null)
  const more = known.length > NAMED ? ` and ${known.length - NAMED} more` : ''
  return known.length === 0 ? 'no store: none has a number' : `${known.slice(0, NAMED).join(', ')}${more}`
}

type Named<Name extends string> = Partial<Record<Name, string | null | undefined>>

/** Null: not exactly one, which its schema reports. */
export function storeOf(
  { country, storeNo, storeId }: Named<'country' | 'storeNo' | 'storeId'>,
  { stores }: ReadingContext,
): Checked<IndexedStore> | null {
  if ([country, storeNo, storeId].filter(Boolean).length !== 1) return null
  if (country) return stores.ofCountry(country)
  return storeNo ? stores.byNumber(storeNo) : stores.byId(storeId ?? '')
}

export function locationOf(
  { stockId, ...names }: Named<'storeNo' | 'storeId' | 'stockId'>,
  context: ReadingContext,
): Checked<{ storeId: string; stockId: string }> | null {
  const store = storeOf(names, context)
  if (store === null || 'faults' in store) return store
  const stock = stockId ?? store.value.stockId
  if (stock === null) return { faults: [fault(['stockId'], 'nothing', 'a stockId: this store has no stock')] }
  return { value: { storeId: store.value.storeId, stockId: stock } }
}

/** Null: not exactly one. An id may be of an online stock. */
export function stockOf(
  { stockId, stockNo }: Named<'stockId' | 'stockNo'>,
  { stores }: ReadingContext,
  at = 'stockNo',
): Checked<string> | null {
  if (stockId && !stockNo) return { value: stockId }
  if (!stockNo || stockId) return null
  const store = stores.byNumber(stockNo, at)
  if ('faults' in store) return store
  if (store.value.stockId !== null) return { value: store.value.stockId }
  return { faults: [fault([at], JSON.stringify(stockNo), 'a store that has a stock; give the id of one')] }
}

export function writtenStockOf(named: Named<'stockId' | 'stockNo'>, context: ReadingContext): Checked<string> | null {
  const stock = stockOf(named, context)
  if (stock === null || 'faults' in stock) return stock
  const faults = writtenByAnother(stock.value, [named.stockId ? 'stockId' : 'stockNo'], context)
  return faults.length > 0 ? { faults } : stock
}

export function writtenByAnother(
  stockId: string,
  at: readonly (string | number)[],
  { system, stockWriters }: Pick<ReadingContext, 'system' | 'stockWriters'>,
): string[] {
  const writer = stockWriters?.[stockId]
  if (writer === undefined || writer === system) return []
  const expected = `levels of it from ${writer} alone (platform.stockWriters in config)`
  return [fault(at, 'a stock that another system writes', expected)]
}

export function inPieces(
  { wholeQuantities }: ReadingContext,
  quantity: string,
  at: readonly (string | number)[],
): string[] {
  return wholeQuantities && quantity.includes('.') ? [fault(at, quantity, 'a whole number')] : []
}

export function linesInPieces<List extends string>(list: List) {
  return (item: { [Name in List]?: readonly { qty: string }[] | undefined }, context: ReadingContext) =>
    (item[list] ?? []).flatMap(({ qty }, index) => inPieces(context, qty, [list, index, 'qty']))
}

export function currencyFaults(
  money: readonly { currency?: string | null | undefined }[],
  store: Checked<IndexedStore> | null,
): string[] {
  if (store === null || 'faults' in store) return []
  const { number, storeId, currency } = store.value
  return money.flatMap((one) => otherCurrency(one.currency, currency, `store ${number ?? storeId}`) ?? [])
}
