import { addDays } from '../../domain/values/day.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { toInstant } from '../../domain/values/store-time.ts'

/**
 * When the settlements of a day are asked for, on the store's wall clock: when the day has closed, in the early morning, and
 * once more when a till that was forgotten has been settled as well.
 */
const PASSES = [
  { after: 1, time: '00:15' },
  { after: 1, time: '06:00' },
  { after: 2, time: '12:00' },
] as const

/** The passes of a day in one zone. */
export function passesOf(day: string, zone: string): Instant[] {
  return PASSES.map(({ after, time }) => toInstant(`${addDays(day, after)}T${time}`, zone))
}
