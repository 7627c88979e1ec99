import type { ApiKey } from '../domain/access/scope.ts'
import type { CustomerRecord } from '../domain/people/customer-record.ts'
import type { StoreRecord } from '../domain/places/store-index.ts'
import type { Instant } from '../domain/values/instant.ts'

export interface KeptCustomer extends CustomerRecord {
  id: number
  updatedAt: Instant
}

export interface KeptStore extends StoreRecord {
  /** Since when the platform does not have it. */
  goneAt: Instant | null
}

/** For the check alone: never in an answer or a log. */
export interface KeptApiKey extends ApiKey {
  /** SHA-256, hex. The secret is 256 random bits: a slow hash adds nothing. */
  secretHash: string
}

export interface Pause {
  until: Instant | null
  why: string
}
