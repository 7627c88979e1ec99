import type { Range } from '../../domain/ledger/covered.ts'
import { isSameClock, NARROW } from '../../domain/ledger/log-clock.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { LogAnswer } from '../../platform/platform.ts'

/**
 * Learns whether the log reads what it is asked by the clock that it writes: the newest that it has is asked for by its own clock.
 * A log that reads days alone, or by another clock, answers with more; null: nothing was answered, which tells nothing.
 */
export async function learnClock(
  bound: Instant,
  list: (narrow: Range) => Promise<Pick<LogAnswer, 'rows'>>,
): Promise<boolean | null> {
  const narrow = { from: bound - NARROW, to: bound }
  const { rows } = await list(narrow)
  return isSameClock(
    narrow,
    rows.map(({ createdAt }) => createdAt),
  )
}
