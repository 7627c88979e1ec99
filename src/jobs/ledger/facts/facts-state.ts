import { z } from 'zod'
import { NEVER, type Watermark } from '../../../domain/ledger/watermark.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import type { Store } from '../../../store/store.ts'

export type FactsState = z.output<typeof State>

const amount = z.custom<Decimal>((value) => typeof value === 'string')
const Count = z.object({
  storeId: z.string().nullable(),
  listed: z.number(),
  listedSum: amount,
  here: z.number(),
  hereSum: amount,
})

const State = z.object({
  /** By kind: since when a subscription stands. */
  begins: z.record(z.string(), z.number()),
  /** By kind: why its list proves nothing. */
  cannotTell: z.record(z.string(), z.string()).default({}),
  rows: z.record(z.string(), z.record(z.string(), z.number())).default({}),
  /** By kind: stores of its subscriptions at the last run; null: all. */
  places: z.record(z.string(), z.array(z.string().nullable())).default({}),
  /** By kind and day. */
  counts: z.record(z.string(), z.record(z.string(), z.array(Count))).default({}),
})

export function readFactsState(state: unknown): FactsState {
  return State.safeParse(state).data ?? State.parse({ begins: {} })
}

/** Changes the state to the earlier of both. */
export function beginAt(state: FactsState, kind: string, at: Instant): Instant {
  const begin = Math.min(state.begins[kind] ?? at, at)
  state.begins[kind] = begin
  return begin
}

const DAY = 86_400_000

const DAYS_AGAIN = 31

/** Uncovers time in the future: the clock was ahead when it was written. */
export async function cutFactsBack(
  kind: string,
  { begins }: FactsState,
  now: Instant,
  store: Pick<Store, 'covered' | 'saveLedger'>,
): Promise<void> {
  const end = (await store.covered('facts', kind)).at(-1)?.to ?? now
  if (end <= now) return
  const from = Math.min(Math.max(begins[kind] ?? now, now - DAYS_AGAIN * DAY), now)
  await store.saveLedger({ uncovered: [{ road: 'facts', scope: kind, from }] }, now)
}

/**
 * Uncovers the time in which a store, subscribed again, was not: its records were not compared. The log's watermark stands where its
 * subscription was lost.
 */
export async function cutUnwatched(
  kind: string,
  places: readonly (string | null)[],
  { state, marks, now, store }: Cutting,
): Promise<void> {
  const before = state.places[kind] ?? places
  const again = before.includes(null) ? [] : places.filter((place) => !before.includes(place))
  const ends = marks
    .filter((mark) => mark.level === 'log' && mark.kind === kind && mark.until !== NEVER)
    .flatMap(({ storeId, until }) => (again.includes(storeId) ? until : []))
  if (ends.length > 0)
    await store.saveLedger({ uncovered: [{ road: 'facts', scope: kind, from: Math.min(...ends) }] }, now)
  state.places[kind] = [...places]
}

interface Cutting {
  state: FactsState
  marks: readonly Watermark[]
  now: Instant
  store: Pick<Store, 'saveLedger'>
}
