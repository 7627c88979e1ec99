import { zonesOf } from '../../../domain/ledger/facts/wall-clock.ts'
import type { KeptStore } from '../../../store/kept.ts'

/** Where what is listed happened. */
export interface Places {
  /** Zones that stores are in. */
  zones: string[]
  ofStore(storeId: string | null): Place
  /** By the number of its store. */
  ofNumber(number: string | null): Place
  ofStock(stockId: string): Place
}

interface Place {
  store: KeptStore | null
  /** The platform's ids of all that it may be: stores share a stock, or countries number theirs alike. */
  storeIds: string[]
  /** Zones of its wall clock: any that a store is in, where it is not known. */
  zones: string[]
}

export function createPlaces(stores: readonly KeptStore[]): Places {
  const zones = zonesOf(stores)
  const placeOf = (those: readonly KeptStore[]): Place => {
    const [store = null] = those
    const storeIds = those.map(({ storeId }) => storeId)
    return { store: those.length === 1 ? store : null, storeIds, zones: those.length === 0 ? zones : zonesOf(those) }
  }
  const memo = <K>(find: (key: K) => KeptStore[]) => {
    const known = new Map<K, Place>()
    return (key: K): Place => {
      const place = known.get(key) ?? placeOf(find(key))
      known.set(key, place)
      return place
    }
  }
  return {
    zones,
    ofStore: memo((storeId) => stores.filter((one) => one.storeId === storeId)),
    ofNumber: memo((number) => stores.filter((one) => number !== null && one.number === number)),
    ofStock: memo((stockId) => stores.filter((one) => one.stockId === stockId)),
  }
}
