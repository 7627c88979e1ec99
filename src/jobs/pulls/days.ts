import { z } from 'zod'
import { addDays } from '../../domain/values/day.ts'
import { daysOf } from '../../platform/odata/window.ts'
import { Held } from './held.ts'
import { type Failed, inTurn } from './in-turn.ts'
import type { Todays } from './store-days.ts'

/** A day without rows is asked again for so many days: trouble looks like that, and so does a Sunday. */
const DOUBTED = 7

/** How far days were read. */
export type DayState = z.output<typeof DayState>

export const DayState = z.object({
  /** Every day since this one was read. */
  begin: z.iso.date(),
  /** The checkpoint: days before it are over, and were read. */
  day: z.iso.date(),
  /** Days that are to be asked again all the same: they had no rows, or could not be read. */
  again: z.record(z.string(), z.enum(['empty', 'failed'])),
  /** Days of which rows could not be read. */
  held: Held.default({}),
})

/** How far back a job looks. */
export interface LookBack {
  /** At its first run. */
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
 * The first day of all: an operator may put it further back, and then all since then is read again. One that is still to come was
 * noted by a clock that was ahead.
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

/** The later one of two days. */
export function later(one: string, other: string): string {
  return one > other ? one : other
}

/**
 * The checkpoint. A clock that was ahead may have written one that is still to come; what was read meanwhile was read too early, so that
 * it goes back as far as a first run looks.
 */
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
