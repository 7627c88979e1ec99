import { z } from 'zod'
import type { JobName } from '../../config/jobs.ts'
import { isUnauthorized, PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import { addDays, type Instant, utcDay } from '../../domain/values/instant.ts'
import { toStoreLocal } from '../../domain/values/store-time.ts'
import { pluralize } from '../../domain/values/text.ts'
import type { Logger } from '../../lib/logger.ts'
import { rejectedText, type Unreadable } from '../../platform/http/read.ts'
import { daysOf } from '../../platform/odata/odata.ts'
import type { StoredStore } from '../../storage/rows.ts'
import type { JobResult, JobRun } from '../engine/job.ts'

/** Windows (days, stocks) with unreadable rows, by when that began. 0: given up. */
export type RejectedWindows = z.output<typeof RejectedWindows>

export const RejectedWindows = z.record(z.string(), z.number())

/** Days without rows are read again for so many days: an outage looks like a Sunday. */
const DOUBTED = 7

export type DayState = z.output<typeof DayState>

export const DayState = z.object({
  begin: z.iso.date(),
  /** Checkpoint: earlier days are over, and were read. */
  day: z.iso.date(),
  /** Earlier days to be read again. */
  again: z.record(z.string(), z.enum(['empty', 'failed'])),
  held: RejectedWindows.default({}),
})

export interface LookBack {
  days: number
  /** Overrides `days`. */
  since?: string | undefined
}

/** The days to read: since the checkpoint less `overlap`, oldest first, then earlier ones to be asked again. `asked`: all recent days. */
export function planDays(
  left: DayState | null,
  { first, last }: Todays,
  back: LookBack,
  overlap: number,
  asked = false,
) {
  const begin = beginOf(left?.begin ?? null, last, back)
  const goesOn = left !== null && begin === left.begin
  // A checkpoint in the future was written by a clock that was ahead: go back as far as a first run.
  const readTo = left !== null && left.day > first ? addDays(first, -back.days) : left?.day
  const again = Object.entries(left?.again ?? {}).filter(
    ([day, why]) => why === 'failed' || day >= addDays(first, -DOUBTED),
  )
  const state: DayState = {
    ...{ begin, day: (goesOn ? readTo : null) ?? begin },
    ...{ again: Object.fromEntries(again), held: left?.held ?? {} },
  }
  const recent = addDays(state.day, -overlap)
  const oldest = addDays(last, -back.days)
  const since = asked && oldest < recent ? oldest : recent
  const from = goesOn && since > begin ? since : begin
  const days = [...daysOf({ from, to: last }), ...Object.keys(state.again).filter((day) => day < from)]
  return { state, from, days }
}

/** The first day to read. An operator may move it back (`since`). A stored day in the future was written by a clock that was ahead. */
export function beginOf(before: string | null, today: string, { days, since }: LookBack): string {
  if (before === null || before > today) return since ?? addDays(today, -days)
  return since !== undefined && since < before ? since : before
}

/** Changes the state. The checkpoint never passes a day that is not over everywhere. */
export function markDay(state: DayState, day: string, { first }: Todays, outcome: 'read' | 'empty' | 'failed'): void {
  if (outcome === 'read') delete state.again[day]
  else state.again[day] = outcome
  const over = day < first ? day : first
  if (over > state.day) state.day = over
}

interface DailyPull<State extends DayState> {
  job: JobName
  run: JobRun
  /** Changed and stored after each day. */
  state: State
  days: readonly string[]
  todays: Todays
  logger: Logger
  /** `isSuspect`: the answer is not believed, and the day is read again. */
  read(day: string): Promise<{ rows: number; rejected: readonly Unreadable[]; isSuspect?: boolean }>
  note(): string
}

/** Pulls day by day, with a checkpoint after each. A day that fails does not stop the others, and is asked for again. */
export async function pullDays<State extends DayState>(pull: DailyPull<State>): Promise<JobResult> {
  const { job, run, state, days, todays, logger, read } = pull
  const counts = { days: 0, rejected: 0 }
  const mark = async (day: string, outcome: Parameters<typeof markDay>[3]) => {
    markDay(state, day, todays, outcome)
    await run.save(state)
  }
  const failed = await runSequentially(
    days,
    run.signal,
    async (day) => {
      const { rows, rejected, isSuspect = false } = await read(day)
      counts.days += 1
      counts.rejected += rejected.length
      if (isSuspect) return await mark(day, 'empty')
      const isHeld = mustRereadWindow({ job, held: state.held, now: run.now, logger }, day, rejected)
      await mark(day, isHeld ? 'failed' : rows === 0 ? 'empty' : 'read')
    },
    (day) => mark(day, 'failed'),
  )
  const note = `${pluralize(counts.days, 'day')}: ${pull.note()}${rejectedNote(counts.rejected)}`
  throwIfFailed(failed, (day) => day, note)
  return { state, note }
}

/** Days for which unreadable rows are asked for again. */
const ASKED_AGAIN = 7

/** True if a window must be read again for unreadable rows; updates `held`. Given up after seven days, as `rows.given-up`. */
export function mustRereadWindow(
  { job, held, now, logger }: { job: string; held: RejectedWindows; now: Instant; logger: Logger },
  window: string,
  rejected: readonly Unreadable[],
): boolean {
  const why = rejectedText(rejected)
  if (why === null) {
    delete held[window]
    return false
  }
  const since = held[window] ?? now
  held[window] = since
  if (since === 0) return false
  if (now - since < ASKED_AGAIN * DAY) return true
  held[window] = 0
  logger.error({ job, window, days: ASKED_AGAIN, why }, 'rows.given-up')
  return false
}

export function rejectedNote(count: number): string {
  return count === 0 ? '' : `, ${pluralize(count, 'row')} rejected`
}

export interface Failed<T> {
  item: T
  error: Error
}

/** Runs `act` for each item and collects failures. Throws when no item could succeed: unreachable, unauthorized, aborted. */
export async function runSequentially<T>(
  items: Iterable<T>,
  signal: AbortSignal,
  act: (item: T) => Promise<void>,
  failed: (item: T) => Promise<void> = async () => {},
): Promise<Failed<T>[]> {
  const all: Failed<T>[] = []
  for (const item of items) {
    signal.throwIfAborted()
    try {
      await act(item)
    } catch (error) {
      signal.throwIfAborted()
      if (!isAboutItem(error) || isUnauthorized(error)) throw error
      all.push({ item, error })
      await failed(item)
    }
  }
  return all
}

const NAMED = 3

export function throwIfFailed<T>(all: readonly Failed<T>[], name: (item: T) => string, note: string): void {
  const [first] = all
  if (!first) return
  const why = all.slice(0, NAMED).map(({ item, error }) => `${name(item)}: ${error.message}`)
  const more = all.length > NAMED ? ` And ${all.length - NAMED} more.` : ''
  throw new RetryLaterError(`${why.join('; ')}.${more} Done: ${note}`, { code: 'pull-incomplete', cause: first.error })
}

export function isAboutItem(error: unknown): error is Error {
  if (error instanceof RetryLaterError) return error.scope === 'item'
  return error instanceof PermanentError || error instanceof UnknownOutcomeError
}

/** An unfinished round older than this starts anew (ms). */
const STALE = 12 * 3_600_000

export type Round = z.output<typeof Round>

export const Round = z
  .object({ begun: z.number().nullable(), done: z.array(z.string()) })
  .catch(() => ({ begun: null, done: [] }))

export const NO_ROUND: Round = { begun: null, done: [] }

export function goOn(left: Round, now: Instant): Round & { begun: Instant } {
  const { begun, done } = left
  // In the future: the clock was ahead.
  const isOurs = begun !== null && Math.abs(now - begun) < STALE
  return isOurs ? { begun, done } : { begun: now, done: [] }
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A closed store counts so much longer: its last day is still to be read (ms). */
const AFTER_ITS_END = 7 * DAY

export interface Todays {
  /** The earliest today: days before it are over everywhere. */
  first: string
  /** The latest today. */
  last: string
}

export function openStores(stores: readonly StoredStore[], now: Instant): StoredStore[] {
  return stores.filter(({ goneAt }) => goneAt === null || now - goneAt < AFTER_ITS_END)
}

export function presentStocks(stores: readonly StoredStore[]): string[] {
  const present = stores.filter(({ goneAt }) => goneAt === null)
  return [...new Set(present.flatMap(({ stockId }) => stockId ?? []))]
}

export function todaysOf(stores: readonly Pick<StoredStore, 'zone'>[], now: Instant): Todays {
  const zones = new Set(stores.length === 0 ? [null] : stores.map(({ zone }) => zone))
  const days = [...zones].flatMap((zone) =>
    zone === null ? [utcDay(now - 12 * HOUR), utcDay(now + 14 * HOUR)] : [toStoreLocal(now, zone).slice(0, 10)],
  )
  days.sort()
  return { first: days.at(0) ?? '', last: days.at(-1) ?? '' }
}
