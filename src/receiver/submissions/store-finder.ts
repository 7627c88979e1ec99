import type { Path } from '../../config/reading/path.ts'
import { type KnownStore, presentOf, type StoreIndex, storesNumbered } from '../../domain/places/store-index.ts'
import { fault, found } from './fault.ts'
import type { Checked } from './faults.ts'

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

/** The most stores that are named in a fault. */
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
