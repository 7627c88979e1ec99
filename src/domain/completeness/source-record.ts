import { dayAfter, type Instant } from '../values/instant.ts'
import { hasZone, toInstant } from '../values/store-time.ts'
import { covers, mergeRanges, type Range } from './covered.ts'
import type { DetectedGap, StoredGap } from './gap.ts'

/** A record that a list of the platform shows. */
export interface SourceRecord {
  /** Unique within its kind. */
  subject: string
  /** The platform's id; null: none or unknown. */
  storeId: string | null
  /** Store-local day, `yyyy-mm-dd`. */
  day: string
  /** What its store-local time may mean. */
  earliest: Instant
  latest: Instant
  /** For people. No secret, no personal data. */
  says: Readonly<Record<string, string | number | null>>
  /** Why its event cannot be made of the list, and what to do; null: it can. */
  lacks: string | null
}

/** The gap of a record without an event. */
export function missingGap(kind: string, list: string, record: SourceRecord): DetectedGap & { kind: string } {
  const { subject, storeId, day, earliest, says, lacks } = record
  const lists = { list, arose: new Date(earliest).toISOString(), ...says, ...(lacks !== null && { lacks }) }
  const where = { source: 'lists', kind, storeId, destination: null, day } as const
  return { ...where, cause: lacks === null ? 'missing' : 'thin', subject, at: earliest, evidence: { lists } }
}

/** Ranges that fully read days prove in all of these zones; never past `provenTo`. */
export function provenBy(days: readonly string[], zones: readonly string[], provenTo: Instant): Range[] {
  const rows: Days[] = []
  for (const day of [...new Set(days)].sort()) {
    const row = rows.at(-1)
    if (row !== undefined && dayAfter(row.last) === day) row.last = day
    else rows.push({ first: day, last: day })
  }
  const ranges = rows.map(({ first, last }) => ({
    from: beginningOf(first, zones).all,
    to: Math.min(provenTo, beginningOf(dayAfter(last), zones).first),
  }))
  return mergeRanges(ranges.filter(({ from, to }) => from < to))
}

/** A day that a list does not prove. */
export type UnprovenDay = Record<'day' | 'why', string>

/** Consecutive days. */
type Days = Record<'first' | 'last', string>

/** A list may be late, or fail, for so long after a day before a person is asked (ms). */
const GRACE_MS = 86_400_000

/** The first consecutive days that stay unproven long after their end. */
export function unlistedDays(
  unproven: readonly UnprovenDay[],
  zones: readonly string[],
  now: Instant,
): (Days & Pick<UnprovenDay, 'why'>) | null {
  const old = unproven.filter(({ day }) => extentOf({ first: day, last: day }, zones).to + GRACE_MS <= now)
  const [first, ...others] = old.toSorted((a, b) => (a.day < b.day ? -1 : 1))
  if (first === undefined) return null
  let last = first.day
  for (const { day } of others) if (day === dayAfter(last)) last = day
  return { first: first.day, last, why: first.why }
}

/** From the first beginning to the last end in these zones. */
function extentOf({ first, last }: Days, zones: readonly string[]): Range {
  return { from: beginningOf(first, zones).first, to: beginningOf(dayAfter(last), zones).all }
}

export function isAllProven(day: string, zones: readonly string[], proven: readonly Range[]): boolean {
  return covers(proven, extentOf({ first: day, last: day }, zones))
}

/** The gap of unproven days. `until`: the end of the proof before them. */
export function unlistedGap(
  kind: string,
  list: string,
  { why, ...days }: Days & Pick<UnprovenDay, 'why'>,
  { zones, until }: { zones: readonly string[]; until: Instant },
): DetectedGap {
  const { first, last } = days
  const { from, to } = extentOf(days, zones)
  const where = { source: 'lists', kind, storeId: null, destination: null, day: first } as const
  const lists = { list, why, lastDay: last, from, to }
  return { ...where, cause: 'not-looked-at', subject: `list/${first}`, at: Math.max(from, until), evidence: { lists } }
}

export function unlistedStretch({ cause, evidence }: Pick<StoredGap, 'cause' | 'evidence'>): Range | null {
  const { from, to } = evidence.lists ?? {}
  return cause === 'not-looked-at' && typeof from === 'number' && typeof to === 'number' ? { from, to } : null
}

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
const MAX = 10_000

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
  if (AHEAD.size >= MAX) AHEAD.clear()
  AHEAD.set(key, ahead)
  return ahead
}
