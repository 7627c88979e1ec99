import type { ApiKey } from '../domain/access/scope.ts'
import type { CustomerRecord } from '../domain/people/customer-record.ts'
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

/** A key with what proves it; for the check alone, never for an answer or a log. */
export interface KeptApiKey extends ApiKey {
  /** SHA-256 of the secret, in hex. The secret is 256 random bits, which nobody can guess: a slow hash adds nothing. */
  secretHash: string
}

export interface Pause {
  until: Instant | null
  why: string
}
