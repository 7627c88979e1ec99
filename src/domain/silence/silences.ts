import type { HealthItem } from '../health/health.ts'
import { type Instant, over } from '../values/instant.ts'
import { toStoreLocal } from '../values/store-time.ts'
import { counted } from '../values/text.ts'

export interface Silence {
  name: string
  since: Instant
  expected: number
  stores: { quiet: number; of: number } | null
}

/** So many events missing are no chance. */
const NO_CHANCE = 12

/** (ms) */
const SHORTEST = 10 * 60_000

/** Stores quiet at once that are told as one. */
const MANY = 3

/** Inactive stores, kinds within active stores, or most stores as one. `closed`: days on which nothing is expected. */
export function silencesIn(usuals: readonly Usual[], now: Instant, closed: readonly string[] = []): Silence[] {
  const slotAt = createSlots(closed)
  const judged = usuals.map((usual) => {
    const [expected, lately] = [expectedSince(usual, now, slotAt), now - usual.last < SHORTEST]
    return { ...usual, expected, lately, isQuiet: !lately && expected >= NO_CHANCE }
  })
  const stores = [...Map.groupBy(judged, ({ store }) => store)].map(([store, all]) => ({
    store,
    quiet: all.filter(({ isQuiet }) => isQuiet),
    isWhole: all.some(({ isQuiet }) => isQuiet) && !all.some(({ lately }) => lately),
    isActive: all.some(({ expected, lately }) => lately || expected > 0),
  }))
  const whole = stores.filter(({ isWhole }) => isWhole)
  const active = stores.filter(({ isActive }) => isActive).length
  const isMany = whole.length >= MANY && whole.length * 2 >= active
  const kinds = stores.filter(({ isWhole }) => !isWhole).flatMap(({ quiet }) => quiet)
  return [
    ...(isMany
      ? [
          silenceOf(
            'most stores',
            whole.flatMap(({ quiet }) => quiet),
            { quiet: whole.length, of: active },
          ),
        ]
      : whole.map(({ store, quiet }) => silenceOf(`store ${store}`, quiet))),
    ...kinds.map((one) => silenceOf(`${one.store} ${one.kind}`, [one])),
  ]
}

function silenceOf(
  name: string,
  quiet: readonly (Usual & { expected: number })[],
  stores: Silence['stores'] = null,
): Silence {
  const expected = Math.round(quiet.reduce((total, one) => total + one.expected, 0))
  return { name, since: Math.max(...quiet.map(({ last }) => last)), expected, stores }
}

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

export interface Usual {
  kind: string
  store: string
  zone: string
  means: number[]
  weeks: number[]
  hour: string
  count: number
  last: Instant
}

const HOUR = 3_600_000
const QUARTER = HOUR / 4
const WEEK = 168
const NEWEST = 0.3
const MOST_WEEKS = 9

export function newUsual(kind: string, store: string, zone: string, now: Instant): Usual {
  const none = () => Array<number>(WEEK).fill(0)
  return { kind, store, zone, means: none(), weeks: none(), hour: hourIn(zone, now), count: 0, last: now }
}

/** Advances to an instant, learning each full hour that the hub was up, on no closed day. */
export function passed(usual: Usual, now: Instant, attended: Instant, closed: readonly string[] = []): Usual {
  const hour = hourIn(usual.zone, now)
  const last = over(usual.last, now) ?? now
  if (hour === usual.hour) return { ...usual, last }
  const begun = { ...usual, hour, count: 0, last }
  const wasThere = hourIn(usual.zone, attended) < usual.hour && usual.hour < hour
  if (!wasThere || closed.includes(usual.hour.slice(0, 10))) return begun
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

export function met(usual: Usual, at: Instant): Usual {
  return { ...usual, count: usual.count + 1, last: Math.max(usual.last, at) }
}

/** Since the last one, by hours seen in two weeks or more; at most a day back. */
export function expectedSince(
  { last, zone, means, weeks }: Usual,
  now: Instant,
  slotAt: SlotAt = createSlots([]),
): number {
  let sum = 0
  for (let from = Math.max(last, now - 24 * HOUR); from < now; ) {
    const to = Math.min(now, quarterOf(from) + QUARTER)
    const slot = slotAt(zone, from)
    if (slot !== null && (weeks[slot] ?? 0) >= 2) sum += ((means[slot] ?? 0) * (to - from)) / HOUR
    from = to
  }
  return sum
}

/** Hour of the week; null: a closed day. */
type SlotAt = (zone: string, at: Instant) => number | null

function createSlots(closed: readonly string[]): SlotAt {
  const known = new Map<string, number | null>()
  return (zone, at) => {
    const key = `${zone} ${quarterOf(at)}`
    const before = known.get(key)
    if (before !== undefined) return before
    const hour = hourIn(zone, at)
    const slot = closed.includes(hour.slice(0, 10)) ? null : slotOf(hour)
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
