import { z } from 'zod'
import { type HealthItem, item } from './health/health.ts'
import { message } from './health/texts.ts'
import { numberKey } from './stores/store-index.ts'
import { addDays, type Instant, nullIfFuture } from './values/instant.ts'
import { toInstant, toStoreLocal } from './values/store-time.ts'

export type Inactivity = z.output<typeof Inactivity>

export const Inactivity = z.object({
  name: z.string(),
  since: z.number(),
  expected: z.number(),
  stores: z.object({ quiet: z.number(), of: z.number() }).nullable(),
})

const NO_CHANCE = 12

/** (ms) */
const SHORTEST = 10 * 60_000

const MANY = 3

/** Inactive stores, kinds within active stores, or most stores as one. Closed stores are skipped; only time since opening counts. */
export function findInactivities(
  usuals: readonly ActivityProfile[],
  now: Instant,
  openingOf: (usual: ActivityProfile) => Opening = () => 'unknown',
): Inactivity[] {
  const slotAt = createSlots()
  const judged = usuals.flatMap((one): Judged[] => {
    const opening = openingOf(one)
    if (opening === 'closed') return []
    const usual = opening === 'unknown' ? one : { ...one, last: Math.max(one.last, opening.since) }
    return [{ usual, expected: expectedSince(usual, now, slotAt) }]
  })
  const isLately = ({ usual }: Judged) => now - usual.last < SHORTEST
  const stores = [...Map.groupBy(judged, ({ usual }) => usual.store)].map(([store, all]) => {
    const quiet = all.filter((one) => !isLately(one) && one.expected >= NO_CHANCE)
    const isActive = all.some((one) => one.expected > 0 || isLately(one))
    return { store, quiet, isActive, isWhole: quiet.length > 0 && !all.some(isLately) }
  })
  const whole = stores.filter(({ isWhole }) => isWhole)
  const active = stores.filter(({ isActive }) => isActive).length
  const isMany = whole.length >= MANY && whole.length * 2 >= active
  const kinds = stores.filter(({ isWhole }) => !isWhole).flatMap(({ quiet }) => quiet)
  const all = whole.flatMap(({ quiet }) => quiet)
  return [
    ...(isMany
      ? [inactivityOf('most stores', all, { quiet: whole.length, of: active })]
      : whole.map(({ store, quiet }) => inactivityOf(`store ${store}`, quiet))),
    ...kinds.map((one) => inactivityOf(`${one.usual.store} ${one.usual.kind}`, [one])),
  ]
}

interface Judged {
  usual: ActivityProfile
  expected: number
}

function inactivityOf(name: string, quiet: readonly Judged[], stores: Inactivity['stores'] = null): Inactivity {
  const expected = Math.round(quiet.reduce((total, one) => total + one.expected, 0))
  return { name, since: Math.max(...quiet.map(({ usual }) => usual.last)), expected, stores }
}

export function inactivityHealth(inactivities: readonly Inactivity[], platformIsWell: boolean): HealthItem[] {
  return inactivities.map(({ name, since, expected, stores }) => {
    const state = stores !== null && platformIsWell ? 'note' : 'problem'
    const ofMany = platformIsWell ? 'health.quiet.holiday' : 'health.quiet.stores'
    const says =
      stores === null
        ? message('health.quiet', { n: expected })
        : message(ofMany, { quiet: stores.quiet, n: stores.of })
    return item('inactivity', name, state, says, message('todo.quiet'), { since })
  })
}

export type ActivityProfile = z.output<typeof ActivityProfile>

export const ActivityProfile = z.object({
  kind: z.string(),
  store: z.string(),
  zone: z.string(),
  means: z.array(z.number()),
  weeks: z.array(z.number()),
  hour: z.string(),
  count: z.number(),
  last: z.number(),
})

const HOUR = 3_600_000
const QUARTER = HOUR / 4
const WEEK = 168
const NEWEST = 0.3
const MAX_WEEKS = 9

export function createProfile(kind: string, store: string, zone: string, now: Instant): ActivityProfile {
  const none = () => Array<number>(WEEK).fill(0)
  return { kind, store, zone, means: none(), weeks: none(), hour: hourIn(zone, now), count: 0, last: now }
}

/** Advances to an instant, learning each full hour that the hub was up and the day usual. */
export function advanceProfile(
  usual: ActivityProfile,
  now: Instant,
  attended: Instant,
  isExceptional: (day: string) => boolean = () => false,
): ActivityProfile {
  const hour = hourIn(usual.zone, now)
  const last = nullIfFuture(usual.last, now) ?? now
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
    weeks: usual.weeks.with(slot, Math.min(weeks + 1, MAX_WEEKS)),
  }
}

export function recordArrival(usual: ActivityProfile, at: Instant): ActivityProfile {
  return { ...usual, count: usual.count + 1, last: Math.max(usual.last, at) }
}

/** Since the last one, by hours seen in two weeks or more; at most a day back. */
export function expectedSince(
  { last, zone, means, weeks }: ActivityProfile,
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

/** Of a day, oldest first, the hour under way last. `usual`: where an hour of the week was seen twice; null: not known yet. */
export interface HourOfArrivals {
  from: Instant
  came: number
  usual: number | null
}

const HOURS_SHOWN = 24

/** Webhooks by the hour that they came in (its number since 1970). */
export type ArrivalsByHour = z.output<typeof ArrivalsByHour>

export const ArrivalsByHour = z.record(z.string(), z.number())

export function recordHour(hours: ArrivalsByHour, at: Instant): void {
  const hour = Math.floor(at / HOUR)
  hours[hour] = (hours[hour] ?? 0) + 1
}

/** Numbers since 1970 of the last 24 hours, oldest first, the one under way last. */
export function hoursOfDay(now: Instant): number[] {
  const last = Math.floor(now / HOUR)
  return Array.from({ length: HOURS_SHOWN }, (_, nth) => last - HOURS_SHOWN + 1 + nth)
}

/** Of values by the number of their hour, those of the last 24 hours. */
export function recentHours<T>(hours: Readonly<Record<string, T>>, now: Instant): Record<string, T> {
  const recent = hoursOfDay(now)
  return Object.fromEntries(Object.entries(hours).filter(([hour]) => recent.includes(Number(hour))))
}

export function arrivalsOfDay(
  hours: ArrivalsByHour,
  usuals: readonly ActivityProfile[],
  now: Instant,
): HourOfArrivals[] {
  const slotAt = createSlots()
  return hoursOfDay(now).map((hour) => {
    const known = usuals.flatMap(({ zone, means, weeks }) => {
      const slot = slotAt(zone, hour * HOUR)
      return (weeks[slot] ?? 0) >= 2 ? [means[slot] ?? 0] : []
    })
    const usual = known.length === 0 ? null : Math.round(known.reduce((sum, mean) => sum + mean, 0))
    return { from: hour * HOUR, came: hours[hour] ?? 0, usual }
  })
}

type SlotAt = (zone: string, at: Instant) => number

function createSlots(): SlotAt {
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

function hourIn(zone: string, at: Instant): string {
  return toStoreLocal(at, zone).slice(0, 13)
}

function slotOf(hour: string): number {
  const date = new Date(`${hour}:00:00Z`)
  return ((date.getUTCDay() + 6) % 7) * 24 + date.getUTCHours()
}

export interface OpenSpan {
  from: string
  to: string
}

export interface Hours {
  week: readonly (readonly OpenSpan[])[] | null
  days: Readonly<Record<string, readonly OpenSpan[]>>
}

/** From config; the platform has none (spec, "Store"). */
export interface OpeningHours {
  hours: Readonly<Record<string, Hours>>
  closed: readonly string[]
}

export interface OpenPlace {
  number: string
  country: string | null
  zone: string
}

export type Opening = 'closed' | 'unknown' | { since: Instant }

export function openingAt(hours: OpeningHours, place: OpenPlace, now: Instant): Opening {
  const today = toStoreLocal(now, place.zone).slice(0, 10)
  const spans = spansOf(hours, place, today)
  const before = spansOf(hours, place, addDays(today, -1)) ?? []
  const begun = [...instantsOf(before, addDays(today, -1), place.zone), ...instantsOf(spans ?? [], today, place.zone)]
  let since: Instant | null = null
  let until = Number.NEGATIVE_INFINITY
  for (const { from, to } of begun.toSorted((one, other) => one.from - other.from)) {
    // Adjoining spans are one: a store open all day does not open at midnight.
    if (from > now) break
    if (since === null || from > until) since = from
    until = Math.max(until, to)
  }
  if (since !== null && now < until) return { since }
  return spans === null ? 'unknown' : 'closed'
}

export function isExceptional({ hours, closed }: OpeningHours, place: OpenPlace, day: string): boolean {
  return closed.includes(day) || hoursOf(hours, place).some(({ days }) => Object.hasOwn(days, day))
}

function spansOf({ hours, closed }: OpeningHours, place: OpenPlace, day: string): readonly OpenSpan[] | null {
  const own = hoursOf(hours, place)
  for (const { days } of own) if (Object.hasOwn(days, day)) return days[day] ?? []
  if (closed.includes(day)) return []
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7
  for (const { week } of own) if (week !== null) return week[weekday] ?? []
  return null
}

function hoursOf(hours: OpeningHours['hours'], { number, country }: OpenPlace): Hours[] {
  const all = Object.entries(hours)
  const own = all.filter(([key]) => numberKey(key) === numberKey(number))
  const common = all.filter(([key]) => key.trim().toUpperCase() === country?.toUpperCase())
  return [...own, ...common].map(([, one]) => one)
}

function instantsOf(spans: readonly OpenSpan[], day: string, zone: string): { from: Instant; to: Instant }[] {
  return spans.map(({ from, to }) => {
    const endsNextDay = to === '24:00' || to <= from
    const end = `${endsNextDay ? addDays(day, 1) : day}T${to === '24:00' ? '00:00' : to}`
    return { from: toInstant(`${day}T${from}`, zone), to: toInstant(end, zone, { fold: 'later' }) }
  })
}
