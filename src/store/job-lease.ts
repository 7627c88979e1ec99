import type { JobRow } from '../domain/health/job-status.ts'
import type { Instant } from '../domain/values/instant.ts'

/** How long a run of a job is to be its hub's alone. */
export interface JobLease {
  now: Instant
  /** From then on (milliseconds). A store of several hubs counts from its own clock, which is the same for all of them. */
  lease: number
}

/** A run of a job is to begin; `now` is when it starts. */
export interface JobStart extends JobLease {
  /** Only if this is still when the job was last started (null: never). Not given: whatever has run before. */
  after?: Instant | null
}

/** A right to carry out one run of a job, as long as its lease lasts. */
export interface JobClaim {
  row: JobRow
  /** Fences off whoever comes back too late. */
  fence: number
}

/** How a run of a job ended: well, or with a problem. */
export type JobEnd =
  | {
      at: Instant
      /** The state that the next run begins with (JSON text); not given: the one that was left before. */
      state?: string
      note: string
    }
  | { at: Instant; problem: string }
