import type { HealthItem } from '../health/health.ts'
import { counted } from '../values/counted.ts'
import type { Instant } from '../values/instant.ts'
import type { Opening } from './opening.ts'
import { createSlots, expectedSince, type Usual } from './usual.ts'

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
