import { type KnownStore, storesNumbered } from '../domain/places/store-index.ts'
import { UserError } from '../domain/values/errors.ts'
import { oneOf } from '../lib/suggest.ts'

/*
 * The store that a question is about. One that nobody knows has no gaps and no sales: who mistypes its name would be told that nothing
 * is missing there. Stores that the platform does not have any more are known all the same.
 */

/** The store with this number, or with this id of the platform's. Throws a UserError where it is none that is known, or several. */
export function askedStore<Known extends KnownStore>(asked: string, stores: readonly Known[]): Known {
  const [store, ...others] = askedStores(asked, stores)
  if (others.length > 0)
    throw new UserError(
      `store: several stores have the number ${JSON.stringify(asked)}; their ids are ${[store, ...others].map(({ storeId }) => storeId).join(', ')}.`,
    )
  return store
}

/** The same where several that countries number alike may be meant. */
export function askedStores<Known extends KnownStore>(asked: string, stores: readonly Known[]): [Known, ...Known[]] {
  const numbered = storesNumbered(stores, asked)
  const [store, ...others] = numbered.length > 0 ? numbered : stores.filter(({ storeId }) => storeId === asked)
  if (store !== undefined) return [store, ...others]
  const names = stores.map(({ number, storeId }) => number ?? storeId)
  throw new UserError(
    `store: no store ${JSON.stringify(asked)} is known, by its number or the platform's id: ${known(asked, names)}`,
  )
}

/** Throws a UserError where no store is known that has this id at the platform. */
export function requireStoreId(asked: string, stores: readonly KnownStore[]): void {
  const ids = stores.map(({ storeId }) => storeId)
  if (ids.includes(asked)) return
  const [numbered] = storesNumbered(stores, asked)
  const instead =
    numbered === undefined ? known(asked, ids) : `the store with that number has the id ${numbered.storeId}.`
  throw new UserError(`storeId: no store is known that has the id ${JSON.stringify(asked)} at the platform: ${instead}`)
}

function known(asked: string, names: readonly string[]): string {
  return names.length === 0
    ? 'none has been read yet (tillbridge jobs run stores).'
    : `expected ${oneOf(asked, names)}`.replace(/(?<!\?)$/, '.')
}
