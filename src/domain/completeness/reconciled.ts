import { z } from 'zod'
import { equalMoney, type Money, moneyText, parseDecimal, sumDecimals, ZERO } from '../values/money.ts'
import { type Cause, coversStore, isLoss, type OldestGap } from './gap.ts'

/** A destination's answer about one thing that it acknowledged. `amount` null: it does not say. */
export type Reconciled =
  | { is: 'there'; count: number; amount: Money | null }
  | { is: 'lacking'; why?: string }
  | { is: 'unknown'; why: string }

interface Difference {
  cause: Extract<Cause, 'not-there' | 'there-twice' | 'other-amount'>
  /** What it has, for people. */
  there: string
}

/** Null: none, or not known. `given` null: no (known) amount. Pure. */
export function differenceOf(given: Money | null, reconciled: Reconciled): Difference | null {
  if (reconciled.is === 'unknown') return null
  if (reconciled.is === 'lacking') return { cause: 'not-there', there: reconciled.why || 'nothing' }
  const { count, amount } = reconciled
  if (count === 0) return { cause: 'not-there', there: 'nothing' }
  if (count > 1) return { cause: 'there-twice', there: `${count} times` }
  if (given === null || amount === null || equalMoney(given, amount)) return null
  return { cause: 'other-amount', there: moneyText(amount) }
}

const Sum = z.string().transform((text) => parseDecimal(text))

/** A day of a flow at a destination in one currency: what was given, and what is there. */
export type DayCount = z.output<typeof DayCount>

export const DayCount = z.object({
  day: z.string(),
  flow: z.string(),
  /** Null: without an amount. */
  currency: z.string().nullable(),
  given: z.number(),
  there: z.number(),
  unknown: z.number(),
  /** Sums of what both sides have an amount of. */
  givenSum: Sum,
  thereSum: Sum,
})

/** A day of a store in a list of the platform, and here. */
export type StoreCount = z.output<typeof StoreCount>

export const StoreCount = z.object({
  storeId: z.string().nullable(),
  listed: z.number(),
  listedSum: Sum,
  here: z.number(),
  hereSum: Sum,
})

interface Counted {
  day: string
  flow: string
  amount: Money | null
  reconciled: Reconciled
}

/** Counts and sums by day, flow and currency. */
export function createDayCounts() {
  const rows = new Map<string, DayCount>()
  return {
    add({ day, flow, amount, reconciled }: Counted): void {
      const currency = amount?.currency ?? null
      const key = JSON.stringify([day, flow, currency])
      const none = { given: 0, there: 0, unknown: 0, givenSum: ZERO, thereSum: ZERO }
      const row = rows.get(key) ?? { day, flow, currency, ...none }
      rows.set(key, row)
      row.given += 1
      if (reconciled.is === 'unknown') row.unknown += 1
      if (reconciled.is === 'there') row.there += reconciled.count
      const reported = reconciled.is === 'there' ? reconciled.amount : null
      if (amount === null || (reconciled.is === 'there' && reported === null) || reconciled.is === 'unknown') return
      row.givenSum = sumDecimals([row.givenSum, amount.amount])
      if (reported !== null && reported.currency === currency)
        row.thereSum = sumDecimals([row.thereSum, reported.amount])
    },
    /** Newest day first. */
    all: (): DayCount[] =>
      [...rows.values()].sort((a, b) => (a.day === b.day ? (a.flow < b.flow ? -1 : 1) : a.day < b.day ? 1 : -1)),
  }
}

/** A destination as last asked what it has. */
export type DestinationReconciliation = z.output<typeof DestinationReconciliation>

export const DestinationReconciliation = z.object({
  /** Why it cannot be asked. */
  cannot: z.string().nullable(),
  /** Why the last run did not finish. */
  problem: z.string().nullable(),
  /** Last complete answer. */
  askedAt: z.number().nullable(),
  /** Receipt times that were asked for. */
  from: z.number().nullable(),
  until: z.number().nullable(),
  /** Newest event at the last complete answer: later ones are asked for whatever clock stamped them. */
  upTo: z.number().nullable().default(null),
  /** Steps of that time that are pending, dead or too young. */
  open: z.number(),
  /** Hours in which events with such steps came, also of before: unproven. */
  openHours: z.array(z.number()).default([]),
  days: z.array(DayCount),
})

export const NEVER_RECONCILED: DestinationReconciliation = {
  ...{
    cannot: null,
    problem: null,
    askedAt: null,
    from: null,
    until: null,
    upTo: null,
    open: 0,
    openHours: [],
    days: [],
  },
}

interface DestinationVerdict {
  verdict: 'gaps' | 'unknown'
  gaps: number
}

/** Judges the open gaps of destinations, by name. Pure. */
export function destinationVerdicts(
  oldest: readonly OldestGap[],
  { until, storeId }: { until: number | null; storeId: string | null },
): Map<string, DestinationVerdict> {
  const isAsked = (gap: OldestGap) =>
    (storeId === null || coversStore(gap, storeId)) && (until === null || gap.at < until)
  const byName = Map.groupBy(oldest.filter(isAsked), ({ destination }) => destination ?? '')
  const verdicts = [...byName].map(([name, gaps]): [string, DestinationVerdict] => {
    const count = gaps.reduce((sum, gap) => sum + gap.count, 0)
    return [name, { verdict: gaps.some(isLoss) ? 'gaps' : 'unknown', gaps: count }]
  })
  return new Map(verdicts)
}

/** `unknown`: not asked for all of that time, or of a step that is open, or it could tell of nothing. */
export interface DestinationCompleteness extends DestinationReconciliation {
  name: string
  verdict: 'proven' | DestinationVerdict['verdict']
  gaps: number
}

export const HOUR = 3_600_000

/** Destinations are asked once a night (ms). */
const LATELY = 48 * HOUR

/** Each destination with its open gaps. Pure. */
export function destinationCompleteness(
  seen: Readonly<Record<string, DestinationReconciliation>>,
  held: ReadonlyMap<string, DestinationVerdict>,
  { since, until, now }: { since?: number; until: number | null; now: number },
): DestinationCompleteness[] {
  const names = [...new Set([...Object.keys(seen), ...held.keys()])].sort()
  return names.map((name) => {
    const one = seen[name] ?? NEVER_RECONCILED
    const upTo = until ?? now - LATELY
    // Deliveries before the first reconciliation were never compared.
    const begins = one.from !== null && one.from < upTo && one.from <= (since ?? one.from)
    const isOpen = one.openHours.some((hour) => hour < upTo && hour + HOUR > (since ?? hour))
    const isAsked = begins && one.until !== null && one.until >= upTo && !isOpen
    // Of fetched files, for example, it is not known.
    const days = one.days.filter(({ day }) => since === undefined || until === null || isWithin(day, since, until))
    const tells = days.length === 0 || days.some(({ given, unknown }) => unknown < given)
    const gaps = held.get(name) ?? { verdict: isAsked && tells ? 'proven' : 'unknown', gaps: 0 }
    return { ...one, name, ...gaps }
  })
}

const NOON = 12 * HOUR

/** By its noon, as the store's zone is not known here. */
function isWithin(day: string, since: number, until: number): boolean {
  const noon = Date.parse(day) + NOON
  return noon >= since && noon < until
}
