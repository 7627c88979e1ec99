import type { Instant } from '../../domain/values/instant.ts'
import { isStillToCome } from './still-to-come.ts'

/** Events of the last seconds are left to the next run: of several hubs, an event with a lower id may still come (milliseconds). */
const SETTLES = 30_000

/** The first of these events, in the order of their ids, before which no other can come any more. */
export function settledOf<Row extends { receivedAt: Instant }>(rows: readonly Row[], now: Instant): Row[] {
  // One of a clock that was ahead would hold up all behind it for as long.
  const young = rows.findIndex(({ receivedAt }) => receivedAt > now - SETTLES && !isStillToCome(receivedAt, now))
  return young < 0 ? [...rows] : rows.slice(0, young)
}
