import type { JobRow } from '../../domain/health/job-status.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Schedule } from './schedule.ts'

const MINUTE = 60_000

/** How long after its first, second and third failure in a row a job runs again; then its schedule decides. */
const PAUSES = [MINUTE, 5 * MINUTE, 15 * MINUTE] as const

/** How long the second run may take before the job counts as overdue: half a period, this at most (milliseconds). */
const LONGEST_GRACE = 10 * MINUTE

/** The past of a job, as far as its next run depends on it. */
type Past = Pick<JobRow, 'lastStartedAt' | 'lastSucceededAt' | 'lastFailedAt' | 'failures' | 'underWay'>

/**
 * When a job runs next; an instant that is over means at once: its run was missed. `since`: when this hub began to look
 * after it. A run under way is one that was cut off: its lease is over.
 */
export function dueAt(schedule: Schedule, past: Past, since: Instant): Instant {
  const { lastStartedAt, lastSucceededAt, lastFailedAt, failures } = past
  // Not at once: a run that takes the whole process with it must not do so at every start.
  if (past.underWay) return (lastStartedAt ?? since) + PAUSES[0]
  if (failures > 0 && lastFailedAt !== null) {
    const scheduled = schedule.next(lastFailedAt)
    const pause = retryPause(failures)
    return pause === null ? scheduled : Math.min(lastFailedAt + pause, scheduled)
  }
  return schedule.next(lastSucceededAt ?? since)
}

/** Milliseconds until the next try after so many failures in a row; null: the schedule decides. */
export function retryPause(failures: number): number | null {
  return PAUSES[failures - 1] ?? null
}

/**
 * When a job becomes overdue: a second run has been due since it last succeeded, and had some time to succeed. A job
 * that was overdue while the hub was down gets that time, too, to make up for it.
 */
export function overdueAt(schedule: Schedule, { lastSucceededAt }: Past, since: Instant): Instant {
  const second = schedule.next(schedule.next(lastSucceededAt ?? since))
  const grace = Math.min((schedule.next(second) - second) / 2, LONGEST_GRACE)
  return Math.max(second, since) + grace
}
