import type { Attempt } from '../../../ports/attempt.ts'

/** How much the shop's clock may be behind ours (milliseconds). */
export const CLOCKS = 10 * 60_000

/** Whether an earlier try may have left something behind. 503 counts on no schedule: the time of the first try tells. */
export function isAgain({ previous, firstTriedAt }: Pick<Attempt, 'previous' | 'firstTriedAt'>): boolean {
  return firstTriedAt !== null || previous !== 'none'
}

/** From when on something in the shop may be of this delivery (milliseconds since 1970). */
export function since({ firstTriedAt }: Pick<Attempt, 'firstTriedAt'>): number {
  return (firstTriedAt ?? Date.now()) - CLOCKS
}
