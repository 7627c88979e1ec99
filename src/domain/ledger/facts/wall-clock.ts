import type { Instant } from '../../values/instant.ts'
import { hasZone, toInstant } from '../../values/store-time.ts'

/** The clocks of the world that are furthest behind and furthest ahead (Etc/GMT has its signs turned round). */
const ANYWHERE = ['Etc/GMT+12', 'Etc/GMT-14'] as const

/** The zones that a store may be in: its own; where none is known, any. */
export function zonesOf(stores: readonly { zone: string | null }[]): string[] {
  const zones = new Set(stores.flatMap(({ zone }) => (zone === null ? ANYWHERE : [zone])))
  return zones.size === 0 ? [...ANYWHERE] : [...zones]
}

/**
 * The first and the last instant that a datetime of the platform can mean in these zones: an hour that comes twice means two.
 * Throws PermanentError `not-a-datetime`.
 */
export function instantsOf(text: string, zones: readonly string[]): { earliest: Instant; latest: Instant } {
  if (hasZone(text)) {
    const at = toInstant(text, 'UTC')
    return { earliest: at, latest: at }
  }
  const all = zones.flatMap((zone) => instantsIn(text, zone))
  return { earliest: Math.min(...all), latest: Math.max(...all) }
}

/** When a day (`yyyy-mm-dd`) has begun in the first, and in all of these zones. */
export function beginningOf(day: string, zones: readonly string[]): { first: Instant; all: Instant } {
  const { earliest, latest } = instantsOf(`${day}T00:00:00`, zones)
  return { first: earliest, all: latest }
}

/** How far clocks of a zone were ahead in an hour that they showed once, by zone and hour: a list has thousands of rows of each. */
const AHEAD = new Map<string, number | null>()

/** Hours that are remembered. */
const MOST = 10_000

function instantsIn(text: string, zone: string): Instant[] {
  const ahead = aheadIn(text.slice(0, 13), zone)
  const asUtc = ahead === null ? Number.NaN : Date.parse(`${text.replace(' ', 'T')}Z`)
  if (ahead !== null && !Number.isNaN(asUtc)) return [Math.floor(asUtc) - ahead]
  return [toInstant(text, zone), toInstant(text, zone, { fold: 'later' })]
}

/** Milliseconds; null: clocks changed within the hour, so that it may come twice, or not at all. */
function aheadIn(hour: string, zone: string): number | null {
  const key = `${zone} ${hour}`
  const known = AHEAD.get(key)
  if (known !== undefined) return known
  const offsets = ['00:00', '59:59'].flatMap((minutes) => {
    const text = `${hour.replace(' ', 'T')}:${minutes}`
    return [toInstant(text, zone), toInstant(text, zone, { fold: 'later' })].map((at) => Date.parse(`${text}Z`) - at)
  })
  const ahead = new Set(offsets).size === 1 ? (offsets[0] ?? null) : null
  if (AHEAD.size >= MOST) AHEAD.clear()
  AHEAD.set(key, ahead)
  return ahead
}
