import { isDay } from './day.ts'
import type { Instant } from './instant.ts'

const AGO = /^(\d{1,9})([smhd])$/
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A day, a day and a time, or these with a zone; seconds and their parts may be left out. */
const WRITTEN =
  /^(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/

/**
 * The instant that a person names: a day or a time of ISO 8601, or how long before `now` it is (`45m`, `2h`, `3d`); null for
 * all else, a day that its month does not have too. What names no zone is meant by the clock of the process that reads it.
 */
export function readInstant(text: string, now: Instant): Instant | null {
  const [, count, unit = ''] = AGO.exec(text) ?? []
  // Longer ago than 1970 is since ever.
  if (count !== undefined) return Math.max(0, now - Number(count) * (UNITS[unit] ?? 0))
  const [, day, time = '00:00', zone = ''] = WRITTEN.exec(text) ?? []
  return day === undefined || !isDay(day) ? null : Date.parse(`${day}T${time}${zone}`)
}
