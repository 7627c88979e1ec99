import { z } from 'zod'
import { areKeysRefused, PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import { addDays, type Instant } from '../../domain/values/instant.ts'
import { toStoreLocal } from '../../domain/values/store-time.ts'
import { counted } from '../../domain/values/text.ts'
import type { Logger } from '../../lib/logger.ts'
import { asideText, type Unreadable } from '../../platform/http/read.ts'
import { daysOf } from '../../platform/odata/odata.ts'
import type { KeptStore } from '../../store/rows.ts'

/**
 * Windows (days, stocks) of which rows could not be read: since when. 0: a person was told, and it is asked for no more, unless
 * other reasons call for it.
 */
export type Held = z.output<typeof Held>

export const Held = z.record(z.string(), z.number())

/** Days without rows are read again for so many days: an outage looks like a Sunday. */
const DOUBTED = 7

export type DayState = z.output<typeof DayState>

export const DayState = z.object({
  begin: z.iso.date(),
  /** The checkpoint: days before it are over, and were read. */
  day: z.iso.date(),
  /** Days that are to be asked again all the same: they had no rows, or could not be read. */
  again: z.record(z.string(), z.enum(['empty', 'failed'])),
  held: Held.default({}),
})

export interface LookBack {
  days: number
  /** From this day on, however often it has run. */
  since?: string | undefined
}

/** Where a run begins, and the days that it reads: in order, and then those that are to be asked again. */
export function planDays(left: DayState | null, { first, last }: Todays, back: LookBack, overlap: number) {
  const begin = beginOf(left?.begin ?? null, last, back)
  const goesOn = left !== null && begin === left.begin
  const state: DayState = {
    begin,
    day: goesOn ? readTo(left.day, first, back) : begin,
    again: stillAgain(left?.again ?? {}, first),
    held: left?.held ?? {},
  }
  const from = goesOn ? later(begin, addDays(state.day, -overlap)) : begin
  const days = [...daysOf({ from, to: last }), ...Object.keys(state.again).filter((day) => day < from)]
  return { state, from, days }
}

/**
 * The first day to read. An operator may move it back (`since`): everything since then is read again. A stored day in the future was
 * written by a clock that was ahead.
 */
export function beginOf(before: string | null, today: string, { days, since }: LookBack): string {
  if (before === null || before > today) return since ?? addDays(today, -days)
  return since !== undefined && since < before ? since : before
}

/** Changes the state: a day was asked for. The checkpoint is no further than where the day is not over yet. */
export function markDay(state: DayState, day: string, { first }: Todays, outcome: 'read' | 'empty' | 'failed'): void {
  if (outcome === 'read') delete state.again[day]
  else state.again[day] = outcome
  const over = day < first ? day : first
  if (over > state.day) state.day = over
}

function stillAgain(again: DayState['again'], first: string): DayState['again'] {
  const recent = addDays(first, -DOUBTED)
  return Object.fromEntries(Object.entries(again).filter(([day, why]) => why === 'failed' || day >= recent))
}

export function later(one: string, other: string): string {
  return one > other ? one : other
}

/** The checkpoint. One in the future was written by a clock that was ahead: go back as far as a first run does. */
function readTo(day: string, first: string, { days }: LookBack): string {
  return day > first ? addDays(first, -days) : day
}

interface Options {
  /** Changed as days are read, and kept after each. */
  state: DayState
  days: readonly string[]
  todays: Todays
  signal: AbortSignal
  save(state: unknown): Promise<void>
}

/**
 * Reads days in turn, and keeps how far it came. `read` says whether a day had rows; one that fails, or says that it did, is asked
 * for again.
 */
export function inDays(
  { state, days, todays, signal, save }: Options,
  read: (day: string) => Promise<'read' | 'empty' | 'failed'>,
): Promise<Failed<string>[]> {
  const mark = async (day: string, outcome: Parameters<typeof markDay>[3]) => {
    markDay(state, day, todays, outcome)
    await save(state)
  }
  return inTurn(
    days,
    signal,
    async (day) => mark(day, await read(day)),
    (day) => mark(day, 'failed'),
  )
}

/** A row that cannot be read is asked for again for so many days; then a person is told, and it is passed. */
const ASKED_AGAIN = 7

interface Holding {
  job: string
  held: Held
  now: Instant
  logger: Logger
}

/**
 * Returns true if a window must be read again because rows of it were unreadable; updates `held`. After seven days it is passed, and
 * `rows.given-up` is logged once (error).
 */
export function holds({ job, held, now, logger }: Holding, window: string, aside: readonly Unreadable[]): boolean {
  const why = asideText(aside)
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

export function asideNote(count: number): string {
  return count === 0 ? '' : `, ${counted(count, 'row')} aside`
}

export interface Failed<T> {
  item: T
  error: Error
}

/**
 * Runs `act` for each item in order. An item's failure is collected and does not stop the others. Throws when no item could succeed:
 * platform or storage unreachable, credentials refused, run aborted.
 */
export async function inTurn<T>(
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
      if (!isAboutItem(error) || areKeysRefused(error)) throw error
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

/** An unfinished round older than this starts anew (milliseconds). */
const STALE = 12 * 3_600_000

export type Round = z.output<typeof Round>

export const Round = z
  .object({
    begun: z.number().nullable(),
    done: z.array(z.string()),
  })
  .catch(() => ({ begun: null, done: [] }))

export const NO_ROUND: Round = { begun: null, done: [] }

export function goOn(left: Round, now: Instant): Round & { begun: Instant } {
  const { begun, done } = left
  // One that is still to begin was noted by a clock that was ahead.
  const isOurs = begun !== null && Math.abs(now - begun) < STALE
  return isOurs ? { begun, done } : { begun: now, done: [] }
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A store that closed counts so much longer: its last day is still to be read (milliseconds). */
const AFTER_ITS_END = 7 * DAY

export interface Todays {
  /** Where it is the earliest: days before this one are over everywhere. */
  first: string
  /** Where it is the latest. */
  last: string
}

/** Stores whose days may still change. */
export function openStores(stores: readonly KeptStore[], now: Instant): KeptStore[] {
  return stores.filter(({ goneAt }) => goneAt === null || now - goneAt < AFTER_ITS_END)
}

export function presentStocks(stores: readonly KeptStore[]): string[] {
  const present = stores.filter(({ goneAt }) => goneAt === null)
  return [...new Set(present.flatMap(({ stockId }) => stockId ?? []))]
}

/** The days that it is in stores now. A store without a time zone may be anywhere; so may all while no store is known. */
export function todaysOf(stores: readonly Pick<KeptStore, 'zone'>[], now: Instant): Todays {
  const zones = new Set(stores.length === 0 ? [null] : stores.map(({ zone }) => zone))
  const days = [...zones].flatMap((zone) =>
    zone === null ? [utcDay(now - 12 * HOUR), utcDay(now + 14 * HOUR)] : [toStoreLocal(now, zone).slice(0, 10)],
  )
  days.sort()
  return { first: days.at(0) ?? '', last: days.at(-1) ?? '' }
}

function utcDay(instant: Instant): string {
  return new Date(instant).toISOString().slice(0, 10)
}
