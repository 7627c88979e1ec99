import { type HealthArea, type HealthItem, nameOf } from '../health/health.ts'
import type { Instant } from '../values/instant.ts'
import { over } from '../values/still-to-come.ts'
import { type AlarmRule, isAbout, isOf } from './rules.ts'

/** One cause under one rule, followed from when it was seen first until it is over. */
export interface Watched {
  rule: string
  /** The thing that it is about: `lane shop prompt`. */
  thing: string
  /** Since when it is so, as far as health knows; else since it was seen. */
  since: Instant
  /** When it was said; null: its patience is not over. */
  raisedAt: Instant | null
  /** The run of the hub that has seen it last: what one hub has in memory, another does not see. */
  by: string
  /** Since when it is not seen any more; null: it is. */
  goneAt: Instant | null
  means: string | null
  todo: string | null
}

/** A cause that is over. */
export interface Over extends Watched {
  /** How long it was so (milliseconds). */
  lasted: number
}

export interface Followed {
  watched: Watched[]
  begun: Watched[]
  over: Over[]
}

const MINUTE = 60_000

/**
 * How long a cause must be gone before it counts as over (milliseconds), where the thing is not found to be well: one that comes and
 * goes is one.
 */
const SETTLES = 2 * MINUTE

/** The same where another run of a hub saw it in its own memory: this one has to meet it first. */
const UNTIL_MET: Partial<Record<HealthArea, number>> = {
  destination: 15 * MINUTE,
  disk: 15 * MINUTE,
  clock: 15 * MINUTE,
  log: 15 * MINUTE,
  list: 26 * 60 * MINUTE,
}

/** The most causes that are followed; with more than these, one list of names is as good as another. */
const MOST = 1_000

/**
 * Follows what health finds: each cause is said once when it has lasted as long as its rule has patience, and once when it is over.
 * `by`: this run of this hub. Pure; the result is what is kept until the next look.
 */
export function follow(
  before: readonly Watched[],
  items: readonly HealthItem[],
  rules: readonly AlarmRule[],
  { now, by }: { now: Instant; by: string },
): Followed {
  const followed: Followed = { watched: [], begun: [], over: [] }
  const knownBefore = new Map(before.map((one) => [keyOf(one.rule, one.thing), one]))
  const found = new Map(causesIn(items, rules).map((cause) => [keyOf(cause.rule.name, nameOf(cause.item)), cause]))
  for (const [key, { rule, item }] of found) {
    const known = knownBefore.get(key)
    if (known === undefined && before.length + followed.watched.length >= MOST) continue
    const since = over(item.since, now) ?? over(known?.since ?? null, now) ?? now
    const words = { means: rule.quotes ? item.means : null, todo: item.todo }
    const ofNow = { since, by, goneAt: null, ...words }
    const one: Watched = { rule: rule.name, thing: nameOf(item), raisedAt: null, ...known, ...ofNow }
    if (one.raisedAt === null && now - since >= rule.after) {
      one.raisedAt = now
      followed.begun.push(one)
    }
    followed.watched.push(one)
  }
  for (const one of before) {
    const rule = rules.find(({ name }) => name === one.rule)
    if (rule === undefined || one.raisedAt === null || found.has(keyOf(one.rule, one.thing))) continue
    if (lasts(one, rule, items)) followed.watched.push({ ...one, by, goneAt: null })
    else if (isBlind(rule, items)) followed.watched.push(one)
    else {
      const goneAt = over(one.goneAt, now) ?? now
      if (now - goneAt >= settles(one, rule, by, items))
        followed.over.push({ ...one, goneAt, lasted: Math.max(0, goneAt - one.since) })
      else followed.watched.push({ ...one, goneAt })
    }
  }
  return followed
}

function causesIn(items: readonly HealthItem[], rules: readonly AlarmRule[]) {
  return items.flatMap((item) => {
    const rule = rules.find((one) => isOf(one, item))
    return rule === undefined ? [] : [{ rule, item }]
  })
}

/** Whether what was said still holds in part: a destination that is tried again after a restart is in trouble, but not down yet. */
function lasts({ thing }: Watched, rule: AlarmRule, items: readonly HealthItem[]): boolean {
  if (rule.of.area === 'any') return false
  return items.some((item) => nameOf(item) === thing && item.state !== 'ok' && isAbout(rule, item))
}

/** Whether nobody can tell now. */
function isBlind({ of }: AlarmRule, items: readonly HealthItem[]): boolean {
  return items.some(({ area, state }) => state === 'unknown' && area === of.area)
}

function settles({ thing, by: seenBy }: Watched, { of }: AlarmRule, by: string, items: readonly HealthItem[]): number {
  const untilMet = of.area === 'any' ? undefined : UNTIL_MET[of.area]
  const isKnown = seenBy === by || untilMet === undefined
  const well = items.find((item) => nameOf(item) === thing && item.state === 'ok')
  if (well?.isMet || (well && isKnown)) return 0
  return isKnown ? SETTLES : untilMet
}

function keyOf(rule: string, thing: string): string {
  return `${rule} ${thing}`
}
