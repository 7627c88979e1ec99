import { type KnownStore, presentOf, storesNumbered } from '../../domain/places/store-index.ts'
import type { Misfit } from '../../domain/queue/misfit.ts'

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
