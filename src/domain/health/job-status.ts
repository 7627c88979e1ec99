import type { Instant } from '../values/instant.ts'

/** A job as it is remembered, through restarts. */
export interface JobRow {
  name: string
  /** The state that the last run that succeeded left (JSON text); null: none. */
  state: string | null
  lastStartedAt: Instant | null
  lastSucceededAt: Instant | null
  lastFailedAt: Instant | null
  /** Why the last run failed; null: it did not. */
  problem: string | null
  /** The work of the last run that succeeded, in a sentence. */
  note: string | null
  /** How many runs have failed since one succeeded. */
  failures: number
  /** A run has begun and not ended: it is under way, or its process was killed or stopped during it. */
  underWay: boolean
  /** Until when the run under way is its hub's alone; null: none is, or its hub is known to be gone. */
  leaseUntil: Instant | null
}

/** A job as people see it. */
export interface JobStatus extends Omit<JobRow, 'state' | 'underWay' | 'leaseUntil'> {
  /** The cron expression that it runs by, in UTC. */
  schedule: string
  atStart: boolean
  running: boolean
  /** A run is under way, on another hub. */
  elsewhere: boolean
  /** The code of its last failure, where that was on this hub since it started (`http-401`); null: nobody knows, or it did not fail. */
  code: string | null
  /** The last run ended with its process, before it was done; it is made up for. */
  cutOff: boolean
  /** Two runs of its schedule have come and gone since it last succeeded. */
  overdue: boolean
  /** Null: the hub is stopping. */
  nextRunAt: Instant | null
}

/** Begins the note of a job that has nothing to do, since the platform does not have what it lives on. */
export const OFF = 'off: '

/** Whether the last run of a job found that it has nothing to do. */
export function isOff({ note, problem }: Pick<JobStatus, 'note' | 'problem'>): boolean {
  return problem === null && note?.startsWith(OFF) === true
}

/** The fault of the last run of a job, in words; null: none. The note of one that was cut off is of the run before. */
export function problemOfRun({ problem, cutOff }: Pick<JobStatus, 'problem' | 'cutOff'>): string | null {
  return cutOff ? 'its hub stopped during the run; it is made up for' : problem
}

/** Until when the run under way is its hub's alone; null: nobody's is, and one may begin (again). */
export function leasedUntil({ underWay, leaseUntil }: Pick<JobRow, 'underWay' | 'leaseUntil'>, now: Instant) {
  return underWay && leaseUntil !== null && leaseUntil > now ? leaseUntil : null
}
