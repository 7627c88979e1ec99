import { dayAfter } from '../../values/day.ts'
import type { Instant } from '../../values/instant.ts'
import type { Range } from '../covered.ts'
import { holesIn } from '../covered.ts'
import type { KeptGap, SeenGap } from '../gap.ts'
import { beginningOf } from './wall-clock.ts'

/** A day that a list does not prove, and why. */
export interface UnprovenDay {
  day: string
  why: string
}

/** Days, one after the other. */
interface Days {
  first: string
  last: string
}

/** So long after a day a list may still be late, or fail, before a person is asked (milliseconds). */
const PATIENCE = 86_400_000

/** The first days that a list does not prove although they are long over, and why; null: there are none. */
export function unlistedDays(
  unproven: readonly UnprovenDay[],
  zones: readonly string[],
  now: Instant,
): (Days & Pick<UnprovenDay, 'why'>) | null {
  const old = unproven.filter(({ day }) => extentOf({ first: day, last: day }, zones).to + PATIENCE <= now)
  const [first, ...others] = old.toSorted((a, b) => (a.day < b.day ? -1 : 1))
  if (first === undefined) return null
  let last = first.day
  for (const { day } of others) if (day === dayAfter(last)) last = day
  return { first: first.day, last, why: first.why }
}

/** From where the first of some days begins in one of these zones to where the last has ended in all. */
function extentOf({ first, last }: Days, zones: readonly string[]): Range {
  return { from: beginningOf(first, zones).first, to: beginningOf(dayAfter(last), zones).all }
}

/** Whether all of a day is proven, wherever stores are. */
export function isAllProven(day: string, zones: readonly string[], proven: readonly Range[]): boolean {
  return holesIn(proven, extentOf({ first: day, last: day }, zones)).length === 0
}

/** A day of which a list has nothing of a store, although events told of that. */
export interface DayWithout {
  day: string
  storeId: string
}

/** A store that a list has nothing of, since when, and up to which day that was seen. */
interface StoreWithout extends Days {
  storeId: string
}

/** The stores that days which are over lack. `before`: since when it lacked stores at the last look, by their ids. */
export function storesWithout(
  lacking: readonly DayWithout[],
  before: Readonly<Record<string, string>>,
  { zones, bound }: { zones: readonly string[]; bound: Instant },
): StoreWithout[] {
  const over = lacking.filter(({ day }) => extentOf({ first: day, last: day }, zones).to <= bound)
  return [...Map.groupBy(over, ({ storeId }) => storeId)].map(([storeId, those]) => {
    const days = those.map(({ day }) => day).sort()
    const [first = ''] = [...days, ...(before[storeId] === undefined ? [] : [before[storeId]])].sort()
    return { storeId, first, last: days.at(-1) ?? first }
  })
}

/**
 * The gap that such a store is: what it sold, and no event told of, would not show. The others are proven. One for as long as the list
 * lacks it: who has explained that is not asked again each night.
 */
export function withoutStoreGap(
  kind: string,
  list: string,
  { storeId, ...days }: StoreWithout,
  zones: readonly string[],
): SeenGap {
  const { first, last } = days
  const { from, to } = extentOf(days, zones)
  const why = 'the list has nothing of this store, of which events told'
  const where = { road: 'facts', kind, storeId, destination: null, day: first } as const
  const facts = { list, why, lastDay: last, from, to }
  return { ...where, cause: 'not-looked-at', subject: `list/${first}/${storeId}`, at: from, evidence: { facts } }
}

/** The gap that such days are. `until`: where the proof ends before them; `list`: the list that is to tell of them. */
export function unlistedGap(
  kind: string,
  list: string,
  { why, ...days }: Days & Pick<UnprovenDay, 'why'>,
  { zones, until }: { zones: readonly string[]; until: Instant },
): SeenGap {
  const { first, last } = days
  const { from, to } = extentOf(days, zones)
  const where = { road: 'facts', kind, storeId: null, destination: null, day: first } as const
  const facts = { list, why, lastDay: last, from, to }
  return { ...where, cause: 'not-looked-at', subject: `list/${first}`, at: Math.max(from, until), evidence: { facts } }
}

/** The stretch of time of such a gap; null: it is none. */
export function unlistedStretch({ cause, evidence }: Pick<KeptGap, 'cause' | 'evidence'>): Range | null {
  const { from, to } = evidence.facts ?? {}
  return cause === 'not-looked-at' && typeof from === 'number' && typeof to === 'number' ? { from, to } : null
}
