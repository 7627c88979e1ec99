import { createTask, parse } from 'node-cron'
import type { JobRow } from '../../domain/health/job-status.ts'
import { CUT_OFF_DELAY, jobDelay } from '../../domain/queue/retry.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { isStillToCome, over } from '../../domain/values/still-to-come.ts'

/** When a job runs. */
export interface Schedule {
  /** The first run after an instant. */
  next(after: Instant): Instant
}

const DAY = 86_400_000

/** Years enough to hold every day that ever comes: 29 February on a Monday is the rarest (40 years, over 2100). */
const MOST_YEARS = 41

/** Whether a job is late is seen by three runs in a row, and the next one is asked about beside them. */
const REMEMBERED = 4

/**
 * Reads a cron expression (five fields, or six with seconds first; also `@daily` and the like), in UTC. Where day of the
 * month and day of the week are both given, both must fit. Throws a UserError for one that is wrong, or that no day fits.
 *
 * The language is node-cron's: its parser says which times and days, its matcher which days of `L`, `W` and `#`. Its timers are not
 * used: they follow the machine's clock only, tell of no run that was missed while the process was down, and give the
 * next run from now only. The hub's clock drives the runs (scheduler.ts).
 */
export function readSchedule(expression: string): Schedule {
  const { fields, fits } = read(expression)
  const months = [...fields.month].sort((a, b) => a - b)
  const days = daysOfMonth(fields)
  const times = timesOfDay(fields)
  const first = times[0] ?? 0

  /** The last answers, each of which holds for all instants from the one that was asked about: a yearly run is asked about often. */
  let known: { from: Instant; at: Instant }[] = []

  function next(after: Instant): Instant {
    const said = known.find(({ from, at }) => from <= after && after < at)
    if (said !== undefined) return said.at
    const at = find(after)
    known = [{ from: after, at }, ...known.slice(0, REMEMBERED - 1)]
    return at
  }

  function find(after: Instant): Instant {
    for (const day of daysFrom(Math.floor(after / DAY) * DAY)) {
      if (!fits(new Date(day + first))) continue
      const time = times.find((one) => day + one > after)
      if (time !== undefined) return day + time
    }
    throw new UserError(`schedule "${expression}": no day ever fits it.`)
  }

  /** That day and those after it, but for months and days that do not count: a yearly run is rarely more than a few days away. */
  function* daysFrom(today: Instant): Generator<Instant> {
    const [from, now] = [new Date(today).getUTCFullYear(), new Date(today).getUTCMonth() + 1]
    for (let year = from; year <= from + MOST_YEARS; year++)
      for (const month of months) {
        if (year === from && month < now) continue
        for (const dayOfMonth of days) {
          const day = Date.UTC(year, month - 1, dayOfMonth)
          if (day >= today && new Date(day).getUTCMonth() + 1 === month) yield day
        }
      }
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
    const why = error instanceof Error ? error.message : String(error)
    throw new UserError(
      `schedule "${expression}": ${why}; write minute hour day month weekday, such as "15 3 * * *".`,
      {
        cause: error,
      },
    )
  }
}

/** The library's matcher formats a date for each that it is asked about, and a hub has many schedules: it is asked about `L`, `W` and `#` only. */
function daysOf(expression: string, { dayOfMonth, dayOfWeek }: Fields): (date: Date) => boolean {
  if (![...dayOfMonth, ...dayOfWeek].every((day) => typeof day === 'number')) return matcher(expression)
  return (date) => dayOfMonth.includes(date.getUTCDate()) && dayOfWeek.includes(date.getUTCDay())
}

function matcher(expression: string): (date: Date) => boolean {
  const task = createTask(expression, () => undefined, { timezone: 'UTC' })
  // The task was never started; this takes it out of the library's list of tasks. It can still be matched.
  void task.destroy()
  return (date) => task.match(date)
}

const EVERY_DAY = Array.from({ length: 31 }, (_, nth) => nth + 1)

/** The days of a month that may fit, ascending: all, where the expression says `L` or `W`. */
function daysOfMonth({ dayOfMonth }: Fields): number[] {
  return EVERY_DAY.filter((day) => dayOfMonth.includes(day) || dayOfMonth.some((one) => typeof one !== 'number'))
}

/** Milliseconds since midnight, ascending. */
function timesOfDay({ hour, minute, second }: Fields): number[] {
  return hour
    .flatMap((h) => minute.flatMap((m) => second.map((s) => ((h * 60 + m) * 60 + s) * 1_000)))
    .sort((a, b) => a - b)
}

const MINUTE = 60_000

/** Grace for the second run before the job counts as overdue: half a period, at most this (milliseconds). */
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
