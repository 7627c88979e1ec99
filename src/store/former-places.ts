import type { FormerPlace } from '../domain/places/former-place.ts'

/** What a store was called, as it is kept: a JSON list. */
export interface FormerPlaces {
  storeId: string
  former: string
}

export function readFormerPlaces({ storeId, former }: FormerPlaces): FormerPlace[] {
  return JSON.parse(former).map((place: Omit<FormerPlace, 'storeId'>) => ({ storeId, ...place }))
}
