import { type FormerPlace, tillNames } from '../../domain/places/former-place.ts'
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

/** What is known of stores. `formerPlaces`: what they were called before. */
interface Known {
  storeIndex: StoreIndex
  formerPlaces(): Promise<FormerPlace[]>
}

/** Rejects with a UserError where a store is asked for of which no stock is known. */
export async function placesOf(
  { placeIs }: ReadSet,
  { store, stock }: Asked['filters'],
  { storeIndex, formerPlaces }: Known,
): Promise<Places> {
  if (stock !== undefined) return { ...EVERYWHERE, places: [stock] }
  if (store === undefined) return EVERYWHERE
  const key = numberKey(store)
  const stores = storesNumbered(storeIndex.stores, store)
  if (placeIs === 'stock') {
    const stocks = new Set(stores.flatMap(({ stockId }) => stockId ?? []))
    if (stocks.size === 0) throw new UserError(`store: no store ${JSON.stringify(store)} with a stock is known.`)
    return { ...EVERYWHERE, places: [...stocks] }
  }
  // A row that named its store by the platform's id is kept under the number that the store had then, or under that id.
  const former = await formerPlaces()
  const names = stores.flatMap((one) => tillNames(one, former))
  return {
    places: [...new Set([store, ...names])],
    isMeant(row) {
      const number = storeNoOf(row, storeIndex) ?? (row.place === row.body.storeId ? null : row.place)
      return number !== null && numberKey(number) === key
    },
  }
}
