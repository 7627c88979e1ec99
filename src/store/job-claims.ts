import { type JobRow, leasedUntil } from '../domain/health/job-status.ts'
import { JobLostError } from '../domain/values/errors.ts'
import type { JobEnd, JobStart } from './job-lease.ts'

/** Whether a run may begin, by what is remembered of the job (null: nothing). For every store alike. */
export function mayBegin(row: JobRow | null, { now, after }: JobStart): boolean {
  if (row !== null && leasedUntil(row, now) !== null) return false
  return after === undefined || after === (row?.lastStartedAt ?? null)
}

/** Whether a run that is over has ended so: its end was written before, and the answer was lost. */
export function endedSo(row: JobRow, end: JobEnd): boolean {
  return 'problem' in end
    ? row.lastFailedAt === end.at && row.problem === end.problem
    : row.lastSucceededAt === end.at && row.note === end.note
}

/** The error for a caller that saves or ends a run which is not his. `underWay`: another run of the job is. */
export function lostRun(job: string, underWay: boolean): JobLostError {
  return new JobLostError(
    underWay ? `Another hub has taken over the run of the job ${job}.` : `No run of the job ${job} is under way.`,
  )
}
