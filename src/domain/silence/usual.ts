import type { Instant } from '../values/instant.ts'
import { over } from '../values/still-to-come.ts'
import { toStoreLocal } from '../values/store-time.ts'

/** The usual of one kind in one store, by the hours of a week on the store's own clock. */
export interface Usual {
  kind: string
  /** The store's number, with its country where stores of several have it (`NO-101`). */
  store: string
  /** IANA id of its zone. */
  zone: string
  /** How many in each hour of the week, from Monday 00:00; recent weeks count more. */
  means: number[]
  /** How many weeks each hour was looked at, nine at most. */
  weeks: number[]
  /** The hour that is counted now, on the store's clock: `2026-11-23T14`. */
  hour: string
  count: number
  /** When the last one came. */
  last: Instant
}

const HOUR = 3_600_000
/** Zones are off by quarters of an hour: what ends an hour of a store ends one of these, too. */
const QUARTER = HOUR / 4
const WEEK = 168

/** How much the newest week counts against all before it. */
const NEWEST = 0.3

/** The most that is remembered of how often an hour was looked at. */
const MOST_WEEKS = 9

export function newUsual(kind: string, store: string, zone: string, now: Instant): Usual {
  const none = () => Array<number>(WEEK).fill(0)
  return { kind, store, zone, means: none(), weeks: none(), hour: hourIn(zone, now), count: 0, last: now }
}

/**
 * Goes on to an instant: the hour that is over is learned, unless the hub was not there for all of it, or that day is no usual one.
 * `attended`: since when it has looked without a gap; `isExceptional`: of a day. The hour that a clock shows twice is learned as one; the one that it leaves out is not.
 * What is still to come was noted by a clock that was ahead: nothing is learned of it, and the last one came now at the latest.
 */
export function passed(
  usual: Usual,
  now: Instant,
  attended: Instant,
  isExceptional: (day: string) => boolean = () => false,
): Usual {
  const hour = hourIn(usual.zone, now)
  const last = over(usual.last, now) ?? now
  if (hour === usual.hour) return { ...usual, last }
  const begun = { ...usual, hour, count: 0, last }
  const wasThere = hourIn(usual.zone, attended) < usual.hour && usual.hour < hour
  if (!wasThere || isExceptional(usual.hour.slice(0, 10))) return begun
  const slot = slotOf(usual.hour)
  const weeks = usual.weeks[slot] ?? 0
  const before = usual.means[slot] ?? 0
  const mean = weeks === 0 ? usual.count : before + (usual.count - before) * NEWEST
  return {
    ...begun,
    means: usual.means.with(slot, Math.round(mean * 10) / 10),
    weeks: usual.weeks.with(slot, Math.min(weeks + 1, MOST_WEEKS)),
  }
}

/** One more came. */
export function met(usual: Usual, at: Instant): Usual {
  return { ...usual, count: usual.count + 1, last: Math.max(usual.last, at) }
}

/** How many should have come since the last one, by hours that were looked at in two weeks or more; a day back at most. */
export function expectedSince(
  { last, zone, means, weeks }: Usual,
  now: Instant,
  slotAt: SlotAt = createSlots(),
): number {
  let sum = 0
  for (let from = Math.max(last, now - 24 * HOUR); from < now; ) {
    const to = Math.min(now, quarterOf(from) + QUARTER)
    const slot = slotAt(zone, from)
    if ((weeks[slot] ?? 0) >= 2) sum += ((means[slot] ?? 0) * (to - from)) / HOUR
    from = to
  }
  return sum
}

/** The hour of the week, in a zone, that an instant is in. */
export type SlotAt = (zone: string, at: Instant) => number

/** Tells hours of the week, each quarter of an hour in each zone asked of the calendar once: a chain asks for the same ones. */
export function createSlots(): SlotAt {
  const known = new Map<string, number>()
  return (zone, at) => {
    const quarter = quarterOf(at)
    const key = `${zone} ${quarter}`
    const slot = known.get(key) ?? slotOf(hourIn(zone, quarter))
    known.set(key, slot)
    return slot
  }
}

function quarterOf(at: Instant): Instant {
  return Math.floor(at / QUARTER) * QUARTER
}

/** `2026-11-23T14`. */
function hourIn(zone: string, at: Instant): string {
  return toStoreLocal(at, zone).slice(0, 13)
}

/** From Monday 00:00. */
function slotOf(hour: string): number {
  const date = new Date(`${hour}:00:00Z`)
  return ((date.getUTCDay() + 6) % 7) * 24 + date.getUTCHours()
}
