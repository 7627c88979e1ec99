import type { Instant } from '../../values/instant.ts'
import { hasZone, toInstant } from '../../values/store-time.ts'

/** The clocks furthest behind and ahead (the signs of Etc/GMT are inverted). */
const ANYWHERE = ['Etc/GMT+12', 'Etc/GMT-14'] as const

/** Zones of stores; a store without a known zone may be anywhere. */
export function zonesOf(stores: readonly { zone: string | null }[]): string[] {
  const zones = new Set(stores.flatMap(({ zone }) => (zone === null ? ANYWHERE : [zone])))
  return zones.size === 0 ? [...ANYWHERE] : [...zones]
}

/** The instants that a datetime can mean in these zones. Throws PermanentError `not-a-datetime`. */
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

/** Offsets by zone and hour: a list has thousands of rows of each. */
const AHEAD = new Map<string, number | null>()
const MOST = 10_000

function instantsIn(text: string, zone: string): Instant[] {
  const ahead = aheadIn(text.slice(0, 13), zone)
  const asUtc = ahead === null ? Number.NaN : Date.parse(`${text.replace(' ', 'T')}Z`)
  if (ahead !== null && !Number.isNaN(asUtc)) return [Math.floor(asUtc) - ahead]
  return bothFolds(text, zone)
}

function bothFolds(text: string, zone: string): Instant[] {
  return [toInstant(text, zone), toInstant(text, zone, { fold: 'later' })]
}

/** Milliseconds ahead of UTC; null: clocks change within the hour. */
function aheadIn(hour: string, zone: string): number | null {
  const key = `${zone} ${hour}`
  const known = AHEAD.get(key)
  if (known !== undefined) return known
  const offsets = ['00:00', '59:59'].flatMap((minutes) => {
    const text = `${hour.replace(' ', 'T')}:${minutes}`
    return bothFolds(text, zone).map((at) => Date.parse(`${text}Z`) - at)
  })
  const ahead = new Set(offsets).size === 1 ? (offsets[0] ?? null) : null
  if (AHEAD.size >= MOST) AHEAD.clear()
  AHEAD.set(key, ahead)
  return ahead
}
