import { createTask, parse } from 'node-cron'
import type { JobRow } from '../../domain/health/health.ts'
import { CUT_OFF_DELAY, jobDelay } from '../../domain/queue/retry.ts'
import { messageOf, UserError } from '../../domain/values/errors.ts'
import { type Instant, isInFuture, nullIfFuture } from '../../domain/values/instant.ts'

export interface Schedule {
  next(after: Instant): Instant
}

const DAY = 86_400_000

/** 29 February on a Monday is the rarest day: 40 years, over 2100. */
const MAX_DAYS = 41 * 366

const REMEMBERED = 4

/**
 * Reads a cron expression (five fields, or six with seconds first; also `@daily` and the like), in UTC. If both day of the month and
 * weekday are given, both must fit. Throws a UserError if it is wrong or no day fits. Language and matching of `L`, `W` and `#` are
 * node-cron's; its timers are not used, since they know no missed runs.
 */
export function readSchedule(expression: string): Schedule {
  const { fields, fits } = read(expression)
  const { month, hour, minute, second } = fields
  const times = hour
    .flatMap((h) => minute.flatMap((m) => second.map((s) => ((h * 60 + m) * 60 + s) * 1_000)))
    .sort((a, b) => a - b)
  const first = times[0] ?? 0

  /** Each holds from the instant that was asked about. */
  let known: { from: Instant; at: Instant }[] = []

  function next(after: Instant): Instant {
    const said = known.find(({ from, at }) => from <= after && after < at)
    if (said !== undefined) return said.at
    const at = find(after)
    known = [{ from: after, at }, ...known.slice(0, REMEMBERED - 1)]
    return at
  }

  function find(after: Instant): Instant {
    const today = Math.floor(after / DAY) * DAY
    for (let day = today; day < today + MAX_DAYS * DAY; day += DAY) {
      const date = new Date(day + first)
      if (!month.includes(date.getUTCMonth() + 1)) day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)
      else if (fits(date)) {
        const time = times.find((one) => day + one > after)
        if (time !== undefined) return day + time
      }
    }
    throw new UserError(`schedule "${expression}": no day ever fits it.`)
  }

  next(0)
  return { next }
}

type Fields = ReturnType<typeof parse>

function read(expression: string): { fields: Fields; fits: (date: Date) => boolean } {
  try {
    const fields = parse(expression)
    return { fields, fits: daysOf(expression, fields) }
  } catch (error) {
    const why = messageOf(error)
    const how = 'write minute hour day month weekday, such as "15 3 * * *"'
    throw new UserError(`schedule "${expression}": ${why}; ${how}.`, { cause: error })
  }
}

/** The library's matcher is slow: plain days are compared here. */
function daysOf(expression: string, { dayOfMonth, dayOfWeek }: Fields): (date: Date) => boolean {
  if ([...dayOfMonth, ...dayOfWeek].every((day) => typeof day === 'number'))
    return (date) => dayOfMonth.includes(date.getUTCDate()) && dayOfWeek.includes(date.getUTCDay())
  const task = createTask(expression, () => undefined, { timezone: 'UTC' })
  // Removes it from the library's list of tasks; it can still be matched.
  void task.destroy()
  return (date) => task.match(date)
}

const MINUTE = 60_000

/** Grace before the job counts as overdue: half a period, at most this (ms). */
const LONGEST_GRACE = 10 * MINUTE

type Past = Pick<JobRow, 'lastStartedAt' | 'lastSucceededAt' | 'lastFailedAt' | 'failures' | 'underWay'>

/** When a job runs next; in the past: at once. A run that began in the future counts as missed: the clock was ahead. */
export function dueAt(schedule: Schedule, past: Past, since: Instant, now: Instant): Instant {
  const { lastStartedAt, failures } = past
  if (lastStartedAt !== null && isInFuture(lastStartedAt, now)) return now
  if (past.underWay) return (lastStartedAt ?? since) + CUT_OFF_DELAY
  const failedAt = nullIfFuture(past.lastFailedAt, now)
  if (failures > 0 && failedAt !== null) {
    const scheduled = schedule.next(failedAt)
    const delay = jobDelay(failures)
    return delay === null ? scheduled : Math.min(failedAt + delay, scheduled)
  }
  return schedule.next(nullIfFuture(past.lastSucceededAt, now) ?? since)
}

export function overdueAt(schedule: Schedule, past: Past, since: Instant, now: Instant): Instant {
  const second = schedule.next(schedule.next(nullIfFuture(past.lastSucceededAt, now) ?? since))
  const grace = Math.min((schedule.next(second) - second) / 2, LONGEST_GRACE)
  return Math.max(second, since) + grace
}
