import { isDay } from './day.ts'
import type { Instant } from './instant.ts'

const AGO = /^(\d{1,9})([smhd])$/
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

const WRITTEN =
  /^(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/

/** A day or ISO 8601 time, or an age (`45m`, `2h`, `3d`); null: neither. Without zone it is local to the process. */
export function readInstant(text: string, now: Instant): Instant | null {
  const [, count, unit = ''] = AGO.exec(text) ?? []
  // Clamped to 1970.
  if (count !== undefined) return Math.max(0, now - Number(count) * (UNITS[unit] ?? 0))
  const [, day, time = '00:00', zone = ''] = WRITTEN.exec(text) ?? []
  return day === undefined || !isDay(day) ? null : Date.parse(`${day}T${time}${zone}`)
}
