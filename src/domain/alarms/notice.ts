import { type HealthArea, type HealthItem, nameOf } from '../health/health.ts'
import { counted } from '../values/counted.ts'
import { formatInstant, type Instant } from '../values/instant.ts'
import { lasting } from '../values/lasting.ts'
import { isStillToCome, over } from '../values/still-to-come.ts'
import { type AlarmRule, isAbout, isOf, type Severity } from './rules.ts'

/** Something that people are told of one rule: what has begun, or what is over. */
export interface Notice {
  rule: string
  severity: Severity
  change: 'began' | 'over'
  says: string
  at: Instant
  /** The first of them. */
  things: NoticeThing[]
  /** How many there are besides. */
  more: number
}

/** A thing that a notice names. */
interface NoticeThing {
  thing: string
  since: Instant
  /** How long it was so (milliseconds); null: it still is. */
  lasted: number | null
  means: string | null
  todo: string | null
}

/** The most things that one notice names. */
const MOST_NAMED = 20

/** The notices of a look: one for each rule and change, however many causes there are. */
export function noticesOf(
  { begun, over }: { begun: readonly Watched[]; over: readonly Over[] },
  rules: readonly AlarmRule[],
  at: Instant,
): Notice[] {
  const of = (change: Notice['change'], causes: readonly (Watched & { lasted?: number })[]) =>
    [...Map.groupBy(causes, ({ rule }) => rule)].flatMap(([name, all]): Notice[] => {
      const rule = rules.find((one) => one.name === name)
      if (rule === undefined) return []
      const things = all.slice(0, MOST_NAMED).map(({ thing, since, lasted = null, means, todo }) => ({
        thing,
        since,
        lasted,
        means: change === 'over' ? null : means,
        todo: change === 'over' ? null : todo,
      }))
      const { severity, says } = rule
      return [{ rule: name, severity, change, says, at, things, more: all.length - things.length }]
    })
  return [...of('over', over), ...of('began', begun)]
}

/** One line: `ALARM deliveries-dead: lane shop prompt`, `over: deliveries-dead: lane shop prompt, after 20 min`. */
export function noticeTitle({ rule, severity, change, things, more }: Notice): string {
  const [only] = things
  const count = things.length + more
  const about = count === 1 && only ? only.thing : counted(count, 'thing')
  if (change === 'began') return `${severity.toUpperCase()} ${rule}: ${about}`
  const lasted = count === 1 && only?.lasted ? `, after ${lasting(only.lasted)}` : ''
  return `over: ${rule}: ${about}${lasted}`
}

/** The whole of it, as plain text. */
export function noticeText(notice: Notice): string {
  const { says, things, more, change } = notice
  return [
    noticeTitle(notice),
    ...(change === 'began' ? [says] : []),
    '',
    ...things.flatMap(thingLines),
    ...(more > 0 ? [`… and ${more} more.`, ''] : []),
  ].join('\n')
}

function thingLines({ thing, since, lasted, means, todo }: NoticeThing): string[] {
  const when = lasted === null ? `since ${formatInstant(since)}` : `${formatInstant(since)}, for ${lasting(lasted)}`
  return [
    `${thing}, ${when}`,
    ...(means === null ? [] : [`  ${means}`]),
    ...(todo === null ? [] : [`  To do: ${todo}`]),
    '',
  ]
}

/** The notices that one recipient has not got yet. */
export interface Untold {
  to: string
  /** Oldest first. */
  notices: Notice[]
  /** How many more there were: the oldest give way, and the log has them. */
  dropped: number
  /** Since when it has not been told what it should; null: nothing failed yet. */
  since: Instant | null
  /** How often it was tried since then. */
  tries: number
  /** Not before this. */
  nextAt: Instant
  /** Why it failed last; no secret. */
  why: string | null
}

/** The most that are kept for one recipient. */
const MOST = 100

const FIRST_PAUSE = 30_000
const LONGEST_PAUSE = 15 * 60_000

/** The outbox with these added for a recipient. */
export function withNotices(untold: readonly Untold[], to: string, notices: readonly Notice[]): Untold[] {
  if (notices.length === 0) return [...untold]
  const none: Untold = { to, notices: [], dropped: 0, since: null, tries: 0, nextAt: 0, why: null }
  const before = untold.find((one) => one.to === to) ?? none
  const all = [...before.notices, ...notices]
  const dropped = before.dropped + Math.max(0, all.length - MOST)
  return [...untold.filter((one) => one.to !== to), { ...before, notices: all.slice(-MOST), dropped }]
}

/** The first of a recipient's was told. Null: there is nothing left. */
export function afterTold(one: Untold): Untold | null {
  const notices = one.notices.slice(1)
  return notices.length === 0 ? null : { ...one, notices, dropped: 0, since: null, tries: 0, nextAt: 0, why: null }
}

/** The recipient could not be told: tried again after 30 s, and longer each time, a quarter of an hour at most. */
export function afterFailure(one: Untold, why: string, now: Instant): Untold {
  const tries = one.tries + 1
  const pause = Math.min(FIRST_PAUSE * 2 ** (tries - 1), LONGEST_PAUSE)
  return { ...one, tries, why, since: over(one.since, now) ?? now, nextAt: now + pause }
}

/** Whether a recipient is to be tried now. A time that is further away than any pause was noted by a clock that was ahead. */
export function isDue({ nextAt }: Untold, now: Instant): boolean {
  return nextAt <= now || isStillToCome(nextAt, now + LONGEST_PAUSE)
}

/** One finding for each recipient that could not be told. */
export function untoldHealth(untold: readonly Untold[]): HealthItem[] {
  return untold.flatMap(({ to, notices, dropped, since, nextAt, why }): HealthItem[] => {
    if (since === null) return []
    return [
      {
        area: 'alarm',
        name: to,
        state: 'problem',
        since,
        next: nextAt,
        means: `${counted(notices.length + dropped, 'alarm')} could not be told to it: ${(why ?? 'nobody knows why').replace(/\.?$/, '.')}`,
        todo: 'tillbridge alarms test says what it answers; meanwhile the log has every alarm.',
      },
    ]
  })
}

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
interface Over extends Watched {
  /** How long it was so (milliseconds). */
  lasted: number
}

interface Followed {
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
const MAX_WATCHED = 1_000

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
    if (known === undefined && before.length + followed.watched.length >= MAX_WATCHED) continue
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
