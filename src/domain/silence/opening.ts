import { numberKey } from '../places/store-index.ts'
import type { Instant } from '../values/instant.ts'
import { toInstant, toStoreLocal } from '../values/store-time.ts'

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
