import type { ApiKey } from '../domain/access/scope.ts'
import type { JobRow } from '../domain/health/job-status.ts'
import type { CustomerRecord } from '../domain/people/customer-record.ts'
import type { StoreRecord } from '../domain/places/store-index.ts'
import type { Instant } from '../domain/values/instant.ts'

export interface KeptCustomer extends CustomerRecord {
  id: number
  updatedAt: Instant
}

export interface KeptStore extends StoreRecord {
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

export interface JobLease {
  now: Instant
  /** Milliseconds from then on; several hubs count by the database server's clock. */
  lease: number
}

export interface JobStart extends JobLease {
  /** Only if the job's last start is still this one (null: never). */
  after?: Instant | null
}

export interface JobClaim {
  row: JobRow
  fence: number
}

export type JobEnd =
  | {
      at: Instant
      /** JSON; not given: unchanged. */
      state?: string
      note: string
    }
  | { at: Instant; problem: string }
