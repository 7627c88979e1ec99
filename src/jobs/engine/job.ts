import type { JobName } from '../../config/jobs.ts'
import type { Instant } from '../../domain/values/instant.ts'

/**
 * Scheduled work. A job never overlaps itself, also where several hubs share the store, and a run that was missed while
 * the hub was down is made up for at start.
 */
export interface Job {
  name: string
  /** When it runs: a cron expression, in UTC. */
  schedule: string
  /** The one system that it asks, by its name as a destination: a run that succeeded has reached it. */
  asks?: string
  /** A job that fetches much that can be fetched later: it is not begun while the disk is almost full. */
  bulk?: true
  /** Runs at every start of the hub, too. */
  atStart?: true
  run(run: JobRun): Promise<JobResult>
}

/** A job of the hub: one of the table, so that config can give it a schedule and people can look it up. */
export interface HubJob extends Job {
  name: JobName
}

export interface JobRun {
  now: Instant
  /** A person asked for it: what its turn would have left alone is done, too. */
  asked: boolean
  /** Aborted when the hub stops, and when the run is lost to another hub: nothing that it leaves is kept then. */
  signal: AbortSignal
  /** The state that was left last, by a result or by `save` (JSON); null: none yet. */
  state: unknown
  /** Leaves state in the middle of a run: it stays although the run fails later, or the process ends. */
  save(state: unknown): Promise<void>
}

export interface JobResult {
  /** The state that the next run begins with (JSON); undefined: the one of before. */
  state?: unknown
  /** The work that was done, in a short sentence for people. No secret, no personal data. */
  note: string
}
