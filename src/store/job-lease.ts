import type { JobRow } from '../domain/health/job-status.ts'
import type { Instant } from '../domain/values/instant.ts'

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
  /** Fencing token. */
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
