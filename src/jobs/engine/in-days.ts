import type { Todays } from '../pulls/store-days.ts'
import { type DayState, markDay } from './day-state.ts'
import { type Failed, inTurn } from './in-turn.ts'

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
