import type { ApiKey } from '../domain/access/scope.ts'
import type { CustomerRecord } from '../domain/people/customer-record.ts'
import type { FormerPlace } from '../domain/places/former-place.ts'
import type { StoreRecord } from '../domain/places/store-index.ts'
import type { Instant } from '../domain/values/instant.ts'

/** A customer as it is kept. */
export interface KeptCustomer extends CustomerRecord {
  id: number
  updatedAt: Instant
}

/** A store as it was last seen on the platform. */
export interface KeptStore extends StoreRecord {
  /** Since when the platform does not have it any more. */
  goneAt: Instant | null
}

/** What a store was called, as it is kept: a JSON list. */
export interface FormerPlaces {
  storeId: string
  former: string
}

export function readFormerPlaces({ storeId, former }: FormerPlaces): FormerPlace[] {
  return JSON.parse(former).map((place: Omit<FormerPlace, 'storeId'>) => ({ storeId, ...place }))
}

/** A key with what proves it; for the check alone, never for an answer or a log. */
export interface KeptApiKey extends ApiKey {
  /** SHA-256 of the secret, in hex. The secret is 256 random bits, which nobody can guess: a slow hash adds nothing. */
  secretHash: string
}

/** The stores of a list, each once: one that is named several times is as it is named last. */
export function eachStoreOnce(records: readonly StoreRecord[]): StoreRecord[] {
  return [...new Map(records.map((record) => [record.storeId, record])).values()]
}

export interface Pause {
  until: Instant | null
  why: string
}
