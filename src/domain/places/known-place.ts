import type { StoreIndex } from './store-index.ts'
import type { StoreRef } from './store-ref.ts'

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
