import { numberKey, type StoreIndex, storesNumbered } from '../../domain/places/store-index.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { Asked } from './asked.ts'
import { type Row, storeNoOf } from './fields.ts'
import type { ReadSet } from './read-set.ts'

/** Where rows are looked for, and which of those found there are meant. */
export interface Places {
  /** Null: everywhere. */
  places: readonly string[] | null
  isMeant(row: Row & { place: string | null }): boolean
}

const EVERYWHERE: Places = { places: null, isMeant: () => true }

/** Throws a UserError where a store is asked for of which no stock is known. */
export function placesOf({ placeIs }: ReadSet, { store, stock }: Asked['filters'], storeIndex: StoreIndex): Places {
  if (stock !== undefined) return { ...EVERYWHERE, places: [stock] }
  if (store === undefined) return EVERYWHERE
  const key = numberKey(store)
  const stores = storesNumbered(storeIndex.stores, store)
  if (placeIs === 'stock') {
    const stocks = new Set(stores.flatMap(({ stockId }) => stockId ?? []))
    if (stocks.size === 0) throw new UserError(`store: no store ${JSON.stringify(store)} with a stock is known.`)
    return { ...EVERYWHERE, places: [...stocks] }
  }
  // A row that named its store by the platform's id, when the number was not known yet, is kept under that id.
  const names = stores.flatMap(({ number, storeId }) => [number ?? storeId, storeId])
  return {
    places: [...new Set([store, ...names])],
    isMeant(row) {
      const number = storeNoOf(row, storeIndex) ?? (row.place === row.body.storeId ? null : row.place)
      return number !== null && numberKey(number) === key
    },
  }
}
