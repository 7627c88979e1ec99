import { z } from 'zod'
import { counted } from '../../domain/values/counted.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Logger } from '../../lib/logger.ts'
import { asideText, type Unreadable } from '../../platform/http/listed.ts'

const DAY = 24 * 3_600_000

/** A row that cannot be read is asked for again for so many days; then a person is told, and it is passed. */
const ASKED_AGAIN = 7

/**
 * Windows (days, stocks) of which rows could not be read: since when. 0: a person was told, and it is asked for no more, unless
 * other reasons call for it.
 */
export type Held = z.output<typeof Held>

export const Held = z.record(z.string(), z.number())

interface Holding {
  job: string
  held: Held
  now: Instant
  logger: Logger
}

/**
 * Whether a window is to be asked for again because of what of it could not be read, and changes `held`: a checkpoint does not
 * pass it. After seven days it is passed, and `rows.given-up` (level error) says so once.
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

/** `, 2 rows aside`; empty: none. For notes. */
export function asideNote(count: number): string {
  return count === 0 ? '' : `, ${counted(count, 'row')} aside`
}
