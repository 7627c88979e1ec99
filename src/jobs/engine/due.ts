import type { JobRow } from '../../domain/health/job-status.ts'
import { CUT_OFF_DELAY, jobDelay } from '../../domain/queue/retry.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { isStillToCome, over } from '../../domain/values/still-to-come.ts'
import type { Schedule } from './schedule.ts'

const MINUTE = 60_000

/** How long the second run may take before the job counts as overdue: half a period, this at most (milliseconds). */
const LONGEST_GRACE = 10 * MINUTE

/** The past of a job, as far as its next run depends on it. */
type Past = Pick<JobRow, 'lastStartedAt' | 'lastSucceededAt' | 'lastFailedAt' | 'failures' | 'underWay'>

/**
 * When a job runs next; an instant that is over means at once: its run was missed. `since`: when this hub began to look
 * after it. A run under way is one that was cut off: its lease is over. One that is said to have begun later than now was
 * begun by a clock that was ahead, and counts as missed; each run says anew when it began, so that this makes one run.
 */
export function dueAt(schedule: Schedule, past: Past, since: Instant, now: Instant): Instant {
  const { lastStartedAt, failures } = past
  if (lastStartedAt !== null && isStillToCome(lastStartedAt, now)) return now
  if (past.underWay) return (lastStartedAt ?? since) + CUT_OFF_DELAY
  const failedAt = over(past.lastFailedAt, now)
  if (failures > 0 && failedAt !== null) {
    const scheduled = schedule.next(failedAt)
    const delay = jobDelay(failures)
    return delay === null ? scheduled : Math.min(failedAt + delay, scheduled)
  }
  return schedule.next(over(past.lastSucceededAt, now) ?? since)
}

/**
 * When a job becomes overdue: a second run has been due since it last succeeded, and had some time to succeed. A job
 * that was overdue while the hub was down gets that time, too, to make up for it.
 */
export function overdueAt(schedule: Schedule, past: Past, since: Instant, now: Instant): Instant {
  const second = schedule.next(schedule.next(over(past.lastSucceededAt, now) ?? since))
  const grace = Math.min((schedule.next(second) - second) / 2, LONGEST_GRACE)
  return Math.max(second, since) + grace
}
