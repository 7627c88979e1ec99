import type { HealthItem } from '../health/health.ts'
import { numberKey } from '../places/store-index.ts'
import { counted } from '../values/counted.ts'
import type { Instant } from '../values/instant.ts'
import { over } from '../values/still-to-come.ts'
import { toInstant, toStoreLocal } from '../values/store-time.ts'

/** Something that usually speaks now, and does not. */
export interface Silence {
  /** `store 101`, `101 SaleCreated`, `most stores`. */
  name: string
  since: Instant
  /** How many should have come meanwhile. */
  expected: number
  /** Null: of one store. Else how many of how many stores are quiet. */
  stores: { quiet: number; of: number } | null
}

/** With so many expected and none come, it is no chance: one in 160,000, if they come independently. */
const NO_CHANCE = 12

/** Nothing is said of a shorter quiet (milliseconds). */
const SHORTEST = 10 * 60_000

/** From so many stores on that are quiet at once, and half of those that should speak, it is one thing. */
const MANY = 3

/**
 * What is unusually quiet: a store as a whole, one kind of a store where its others go on, or most stores at once, as one. A store that
 * `openingOf` says to be closed is not, and of one that is open only the time since it opened counts. Pure.
 */
export function silencesIn(
  usuals: readonly Usual[],
  now: Instant,
  openingOf: (usual: Usual) => Opening = () => 'unknown',
): Silence[] {
  const slotAt = createSlots()
  const judged = usuals.flatMap((one) => {
    const opening = openingOf(one)
    if (opening === 'closed') return []
    const usual = opening === 'unknown' ? one : { ...one, last: Math.max(one.last, opening.since) }
    return [{ usual, expected: expectedSince(usual, now, slotAt) }]
  })
  const speaks = (one: (typeof judged)[number]) => now - one.usual.last < SHORTEST || one.expected < NO_CHANCE
  const byStore = [...Map.groupBy(judged, ({ usual }) => usual.store)]
  const silent = byStore.flatMap(([store, all]) => {
    const quiet = all.filter((one) => !speaks(one))
    if (quiet.length === 0) return []
    const lately = all.some(({ usual }) => now - usual.last < SHORTEST)
    return [{ store, quiet, whole: !lately }]
  })
  const whole = silent.filter((one) => one.whole)
  const active = byStore.filter(([, all]) =>
    all.some((one) => one.expected > 0 || now - one.usual.last < SHORTEST),
  ).length
  const isMany = whole.length >= MANY && whole.length * 2 >= active
  const ofMany: Silence[] = isMany
    ? [
        {
          name: 'most stores',
          since: Math.max(...whole.flatMap(({ quiet }) => quiet.map(({ usual }) => usual.last))),
          expected: sum(whole.flatMap(({ quiet }) => quiet)),
          stores: { quiet: whole.length, of: active },
        },
      ]
    : whole.map(({ store, quiet }) => ({
        name: `store ${store}`,
        since: Math.max(...quiet.map(({ usual }) => usual.last)),
        expected: sum(quiet),
        stores: null,
      }))
  const kinds = silent
    .filter((one) => !one.whole)
    .flatMap(({ store, quiet }) =>
      quiet.map((one) => ({
        name: `${store} ${one.usual.kind}`,
        since: one.usual.last,
        expected: Math.round(one.expected),
        stores: null,
      })),
    )
  return [...ofMany, ...kinds]
}

function sum(all: readonly { expected: number }[]): number {
  return Math.round(all.reduce((total, { expected }) => total + expected, 0))
}

/** One finding for each. `platformIsWell`: the platform answers, and its log has nothing that failed: then many stores may be closed. */
export function silenceHealth(silences: readonly Silence[], platformIsWell: boolean): HealthItem[] {
  return silences.map(({ name, since, expected, stores }) => ({
    area: 'silence',
    name,
    state: stores !== null && platformIsWell ? 'note' : 'problem',
    since,
    means:
      stores === null
        ? `Nothing has come, where ${counted(expected, 'event')} would be usual for these hours of the week.`
        : `${stores.quiet} of ${counted(stores.of, 'store')} are quiet at once${platformIsWell ? '; the platform answers, and its log has nothing that failed: a holiday?' : '.'}`,
    todo: 'tillbridge doctor: do subscriptions and address hold? If the stores are closed, write the day into silence.closed.',
  }))
}

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
type SlotAt = (zone: string, at: Instant) => number

/** Tells hours of the week, each quarter of an hour in each zone asked of the calendar once: a chain asks for the same ones. */
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

/** `2026-11-23T14`. */
function hourIn(zone: string, at: Instant): string {
  return toStoreLocal(at, zone).slice(0, 13)
}

/** From Monday 00:00. */
function slotOf(hour: string): number {
  const date = new Date(`${hour}:00:00Z`)
  return ((date.getUTCDay() + 6) % 7) * 24 + date.getUTCHours()
}

/** A time that a store is open, on its own clock: `10:00` to `20:00`. One that ends no later than it begins goes on past midnight. */
export interface OpenSpan {
  from: string
  /** `24:00`: to the end of the day. */
  to: string
}

/** The opening hours of a store, or of all stores of a country. */
export interface Hours {
  /** From Monday; null: nobody says, and they are learned. */
  week: readonly (readonly OpenSpan[])[] | null
  /** Days that are otherwise, by `yyyy-mm-dd`; without a span the store is closed. */
  days: Readonly<Record<string, readonly OpenSpan[]>>
}

/** What config says of opening hours. The platform's stores have none (spec, "Store": address, currency and zone alone). */
export interface OpeningHours {
  /** By the store's number, or its country. */
  hours: Readonly<Record<string, Hours>>
  /** Days on which no store is open, unless it has hours of its own for that day. */
  closed: readonly string[]
}

/** A store, as far as its hours depend on it. */
export interface OpenPlace {
  number: string
  /** ISO 3166; null: not known. */
  country: string | null
  /** IANA id. */
  zone: string
}

/** Whether a store is open, and since when; `unknown`: config does not say. */
export type Opening = 'closed' | 'unknown' | { since: Instant }

/** Whether a store is open at an instant, by what config says. Pure. */
export function openingAt(hours: OpeningHours, place: OpenPlace, now: Instant): Opening {
  const today = toStoreLocal(now, place.zone).slice(0, 10)
  const spans = spansOf(hours, place, today)
  // Who is open past midnight is open by the hours of the day before.
  const before = spansOf(hours, place, dayAfter(today, -1)) ?? []
  const begun = [...instantsOf(before, dayAfter(today, -1), place.zone), ...instantsOf(spans ?? [], today, place.zone)]
  let since: Instant | null = null
  let until = Number.NEGATIVE_INFINITY
  for (const { from, to } of begun.toSorted((one, other) => one.from - other.from)) {
    // A span that begins where another ends goes on with it: a store that never closes does not open at midnight.
    if (from > now) break
    if (since === null || from > until) since = from
    until = Math.max(until, to)
  }
  if (since !== null && now < until) return { since }
  return spans === null ? 'unknown' : 'closed'
}

/** Whether config has this day of a store as another than its days of the week: nothing usual is learned on it. */
export function isExceptional({ hours, closed }: OpeningHours, place: OpenPlace, day: string): boolean {
  return closed.includes(day) || hoursOf(hours, place).some(({ days }) => Object.hasOwn(days, day))
}

/** The spans that begin on a day: by the store's own exceptions, its country's, days on which all are closed, then the week. */
function spansOf({ hours, closed }: OpeningHours, place: OpenPlace, day: string): readonly OpenSpan[] | null {
  const own = hoursOf(hours, place)
  for (const { days } of own) if (Object.hasOwn(days, day)) return days[day] ?? []
  if (closed.includes(day)) return []
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7
  for (const { week } of own) if (week !== null) return week[weekday] ?? []
  return null
}

/** The store's own first. */
function hoursOf(hours: OpeningHours['hours'], { number, country }: OpenPlace): Hours[] {
  const all = Object.entries(hours)
  const own = all.filter(([key]) => numberKey(key) === numberKey(number))
  const common = all.filter(([key]) => key.trim().toUpperCase() === country?.toUpperCase())
  return [...own, ...common].map(([, one]) => one)
}

/** An hour that comes twice: a store is open through both. */
function instantsOf(spans: readonly OpenSpan[], day: string, zone: string): { from: Instant; to: Instant }[] {
  return spans.map(({ from, to }) => {
    const endsNextDay = to === '24:00' || to <= from
    const end = `${endsNextDay ? dayAfter(day, 1) : day}T${to === '24:00' ? '00:00' : to}`
    return { from: toInstant(`${day}T${from}`, zone), to: toInstant(end, zone, { fold: 'later' }) }
  })
}

function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}
