/** Milliseconds since 1970-01-01T00:00:00Z, never store-local (see store-time.ts). */
export type Instant = number

export function formatInstant(instant: Instant): string {
  return new Date(instant).toISOString()
}

/** `yyyy-mm-dd`, in UTC. */
export function utcDay(instant: Instant): string {
  return new Date(instant).toISOString().slice(0, 10)
}

/** Clock skew between hubs (ms). */
export const SKEW = 60_000

export function isInFuture(noted: Instant, now: Instant): boolean {
  return noted > now + SKEW
}

export function latestOf(now: Instant): Instant {
  return now + SKEW
}

export function nullIfFuture(noted: Instant | null, now: Instant): Instant | null {
  return noted === null || isInFuture(noted, now) ? null : noted
}

const DAY = 24 * 3_600_000

export function addDays(day: string, count: number): string {
  return utcDay(Date.parse(`${day}T00:00:00Z`) + count * DAY)
}

export function dayAfter(day: string): string {
  return addDays(day, 1)
}

export function isDay(text: string): boolean {
  const instant = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(text)
}

const UNITS = [
  { ms: 86_400_000, name: 'd' },
  { ms: 3_600_000, name: 'h' },
  { ms: 60_000, name: 'min' },
  { ms: 1_000, name: 's' },
] as const

/** Milliseconds in the two largest units: `45 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. */
export function formatDuration(ms: number): string {
  const first = UNITS.findIndex((unit) => ms >= unit.ms)
  if (first === -1) return '0 s'
  const [large, small] = UNITS.slice(first, first + 2)
  if (large === undefined) return '0 s'
  const rest = small === undefined ? 0 : Math.floor((ms % large.ms) / small.ms)
  const more = small === undefined || small.name === 's' || rest === 0 ? '' : ` ${rest} ${small.name}`
  return `${Math.floor(ms / large.ms)} ${large.name}${more}`
}

const AGO = /^(\d{1,9})([smhd])$/
const AGES: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

const WRITTEN =
  /^(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/

/** A day or ISO 8601 time, or an age (`45m`, `2h`, `3d`); null: neither. Without zone it is local to the process. */
export function readInstant(text: string, now: Instant): Instant | null {
  const [, count, unit = ''] = AGO.exec(text) ?? []
  if (count !== undefined) return Math.max(0, now - Number(count) * (AGES[unit] ?? 0))
  const [, day, time = '00:00', zone = ''] = WRITTEN.exec(text) ?? []
  return day === undefined || !isDay(day) ? null : Date.parse(`${day}T${time}${zone}`)
}
