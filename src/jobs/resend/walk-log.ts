import type { Range } from '../../domain/ledger/covered.ts'
import { isTooMuch } from '../../platform/long-lists/too-much.ts'
import type { LogAnswer } from '../../platform/platform.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A window whose answer held more records than this is followed by a shorter one. */
const MANY = 1_500

/** After a quiet stretch may come the busiest of a chain, where the log answers for just what it is asked. */
const LONGEST = 3 * HOUR

/** A window is never shorter, however much its answer holds. */
const SHORTEST = 60_000

/**
 * Walks through a stretch of the log, oldest first, in windows of at most a day: how the log is paged is not shown. Where it answers
 * for just what was asked (`sameClock`), windows follow how much comes: a chain's day is hundreds of megabytes. Elsewhere a shorter
 * window would bring no less. One whose answer is more than is read is asked for again in parts, and so is all that follows.
 */
export async function* walkLog(
  { from, to }: Range,
  sameClock: boolean,
  list: (window: Range) => Promise<LogAnswer>,
): AsyncGenerator<{ window: Range; answer: LogAnswer }> {
  let longest = sameClock ? LONGEST : DAY
  let length = sameClock ? HOUR : DAY
  for (let at = from; at < to; ) {
    const window = { from: at, to: Math.min(at + length, to) }
    const answer = await list(window).catch((error: unknown) => {
      if (sameClock && isTooMuch(error) && window.to - window.from > SHORTEST) return null
      throw error
    })
    if (answer === null) {
      longest = Math.max(SHORTEST, Math.floor((window.to - window.from) / 2))
      length = longest
      continue
    }
    yield { window, answer }
    if (sameClock && answer.answered > MANY) length = Math.max(SHORTEST, length / 2)
    else if (answer.answered < MANY / 4) length = Math.min(longest, length * 2)
    at = window.to
  }
}
