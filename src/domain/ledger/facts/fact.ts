import { dayAfter, type Instant } from '../../values/instant.ts'
import { holesIn, merged, type Range } from '../covered.ts'
import type { KeptGap, SeenGap } from '../gap.ts'
import { beginningOf } from './wall-clock.ts'

/** Something that happened, as a list of the platform tells of it. */
export interface Fact {
  /** Names it among those of its kind: its identity, where the list says it. */
  subject: string
  /** The platform's id of its store; null: it has none, or nobody knows which. */
  storeId: string | null
  /** The day of its store, `yyyy-mm-dd`. */
  day: string
  /** The first and the last instant that its store's wall clock can mean. */
  earliest: Instant
  latest: Instant
  /** Plain facts for people. No secret, no personal data. */
  says: Readonly<Record<string, string | number | null>>
  /** Why the event cannot be made of what the list says, and what a person can do; null: it can. */
  lacks: string | null
}

/** The gap that a fact is of which no event has told. `list`: the list that tells of it. */
export function untoldGap(kind: string, list: string, fact: Fact): SeenGap & { kind: string } {
  const { subject, storeId, day, earliest, says, lacks } = fact
  const facts = { list, arose: new Date(earliest).toISOString(), ...says, ...(lacks !== null && { lacks }) }
  const where = { road: 'facts', kind, storeId, destination: null, day } as const
  return { ...where, cause: lacks === null ? 'untold' : 'thin', subject, at: earliest, evidence: { facts } }
}

/**
 * The stretches that days prove which were read to their end, in stores of these zones: from where the first of a row of days has
 * begun in all of them to where the day after the last begins in one; never past `provenTo`.
 */
export function provenBy(days: readonly string[], zones: readonly string[], provenTo: Instant): Range[] {
  const rows: { first: string; last: string }[] = []
  for (const day of [...new Set(days)].sort()) {
    const row = rows.at(-1)
    if (row !== undefined && dayAfter(row.last) === day) row.last = day
    else rows.push({ first: day, last: day })
  }
  const ranges = rows.map(({ first, last }) => ({
    from: beginningOf(first, zones).all,
    to: Math.min(provenTo, beginningOf(dayAfter(last), zones).first),
  }))
  return merged(ranges.filter(({ from, to }) => from < to))
}

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
