import { type JobRow, type JobStatus, leasedUntil } from '../../domain/health/job-status.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Job } from './job.ts'
import type { Unkept } from './run-job.ts'
import { readSchedule, type Schedule } from './schedule.ts'

/** A job, what this hub knows of it, and what it waits for. */
export interface Planned {
  job: Job
  schedule: Schedule
  row: JobRow
  /** The end of the last run that could not be written to the store: the row has it, the store does not. */
  unkept: Unkept | null
  /** The run that is under way here; false if it did not begin: another hub had begun one. */
  run: Promise<boolean> | null
  /** The number of runs that this hub has begun, or wanted to begin. */
  turns: number
  nextRunAt: Instant | null
  /** The instant before which it does not run, whatever the row says. */
  notBefore: Instant | null
  overdue: boolean
  /** The code of its last failure here. */
  code: string | null
  cancelRun: () => void
  cancelAlarm: () => void
}

/** A job of which nothing is known yet. Throws a UserError for a schedule that is wrong. */
export function planned(job: Job): Planned {
  const row: JobRow = {
    name: job.name,
    state: null,
    lastStartedAt: null,
    lastSucceededAt: null,
    lastFailedAt: null,
    problem: null,
    note: null,
    failures: 0,
    underWay: false,
    leaseUntil: null,
  }
  const idle = {
    run: null,
    turns: 0,
    nextRunAt: null,
    notBefore: null,
    overdue: false,
    code: null,
    cancelRun() {},
    cancelAlarm() {},
  }
  return { job, schedule: readSchedule(job.schedule), row, unkept: null, ...idle }
}

/** Takes up what the store remembers of a job that this hub does not run. */
export function learn(one: Planned, rows: readonly JobRow[]): void {
  const row = rows.find(({ name }) => name === one.job.name)
  if (!row) return
  const { lastStartedAt, lastSucceededAt } = one.row
  const another = row.lastStartedAt !== lastStartedAt
  if (one.unkept !== null && !another && row.lastSucceededAt === lastSucceededAt) return
  // The wait that the other side asked for when an earlier run failed is over with that run.
  if (another) one.notBefore = null
  one.row = row
  one.unkept = null
}

/** A job as people see it. */
export function statusOf({ job, row, run, nextRunAt, overdue, code }: Planned, now: Instant): JobStatus {
  const { state: _state, underWay, leaseUntil: _leaseUntil, ...rest } = row
  const elsewhere = run === null && leasedUntil(row, now) !== null
  const running = run !== null || elsewhere
  const { schedule, atStart = false } = job
  return {
    ...rest,
    schedule,
    atStart,
    running,
    elsewhere,
    cutOff: underWay && !running,
    overdue,
    nextRunAt,
    code: row.failures > 0 ? code : null,
  }
}
