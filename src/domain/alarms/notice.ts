import { z } from 'zod'
import { type HealthArea, type HealthItem, item, itemNameOf } from '../health/health.ts'
import { message } from '../health/texts.ts'
import { formatDuration, formatInstant, type Instant, isInFuture, nullIfFuture } from '../values/instant.ts'
import { pluralize, sentence } from '../values/text.ts'
import { type AlarmRule, isAbout, isOf, SEVERITIES } from './rules.ts'

type NoticeThing = z.output<typeof NoticeThing>

const NoticeThing = z.object({
  thing: z.string(),
  since: z.number(),
  /** Milliseconds; null: ongoing. */
  lasted: z.number().nullable(),
  means: z.string().nullable(),
  todo: z.string().nullable(),
})

export type Notice = z.output<typeof Notice>

const Notice = z.object({
  rule: z.string(),
  severity: z.enum(SEVERITIES),
  change: z.enum(['began', 'over']),
  says: z.string(),
  at: z.number(),
  things: z.array(NoticeThing),
  more: z.number(),
})

const MAX_NAMED = 20

export function noticesOf(
  { begun, over }: { begun: readonly TrackedAlarm[]; over: readonly EndedAlarm[] },
  rules: readonly AlarmRule[],
  at: Instant,
): Notice[] {
  const of = (change: Notice['change'], causes: readonly (TrackedAlarm & { lasted?: number })[]) =>
    [...Map.groupBy(causes, ({ rule }) => rule)].flatMap(([name, all]): Notice[] => {
      const rule = rules.find((one) => one.name === name)
      if (rule === undefined) return []
      const things = all.slice(0, MAX_NAMED).map(({ thing, since, lasted = null, means, todo }) => {
        const words = change === 'over' ? { means: null, todo: null } : { means, todo }
        return { thing, since, lasted, ...words }
      })
      const { severity, says } = rule
      return [{ rule: name, severity, change, says, at, things, more: all.length - things.length }]
    })
  return [...of('over', over), ...of('began', begun)]
}

export function noticeTitle({ rule, severity, change, things, more }: Notice): string {
  const [only] = things
  const count = things.length + more
  const about = count === 1 && only ? only.thing : pluralize(count, 'thing')
  if (change === 'began') return `${severity.toUpperCase()} ${rule}: ${about}`
  const lasted = count === 1 && only?.lasted ? `, after ${formatDuration(only.lasted)}` : ''
  return `over: ${rule}: ${about}${lasted}`
}

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
  const when =
    lasted === null ? `since ${formatInstant(since)}` : `${formatInstant(since)}, for ${formatDuration(lasted)}`
  return [
    `${thing}, ${when}`,
    ...(means === null ? [] : [`  ${means}`]),
    ...(todo === null ? [] : [`  To do: ${todo}`]),
    '',
  ]
}

export type Unsent = z.output<typeof Unsent>

export const Unsent = z.object({
  to: z.string(),
  notices: z.array(Notice),
  dropped: z.number(),
  since: z.number().nullable(),
  tries: z.number(),
  nextAt: z.number(),
  why: z.string().nullable(),
})

const MAX = 100
const FIRST_PAUSE = 30_000
const LONGEST_PAUSE = 15 * 60_000

export function withNotices(unsent: readonly Unsent[], to: string, notices: readonly Notice[]): Unsent[] {
  if (notices.length === 0) return [...unsent]
  const none: Unsent = { to, notices: [], dropped: 0, since: null, tries: 0, nextAt: 0, why: null }
  const before = unsent.find((one) => one.to === to) ?? none
  const all = [...before.notices, ...notices]
  const dropped = before.dropped + Math.max(0, all.length - MAX)
  return [...unsent.filter((one) => one.to !== to), { ...before, notices: all.slice(-MAX), dropped }]
}

export function afterSent(one: Unsent): Unsent | null {
  const notices = one.notices.slice(1)
  return notices.length === 0 ? null : { ...one, notices, dropped: 0, since: null, tries: 0, nextAt: 0, why: null }
}

export function afterFailure(one: Unsent, why: string, now: Instant): Unsent {
  const tries = one.tries + 1
  const pause = Math.min(FIRST_PAUSE * 2 ** (tries - 1), LONGEST_PAUSE)
  return { ...one, tries, why, since: nullIfFuture(one.since, now) ?? now, nextAt: now + pause }
}

export function isDue({ nextAt }: Unsent, now: Instant): boolean {
  return nextAt <= now || isInFuture(nextAt, now + LONGEST_PAUSE)
}

export function unsentHealth(unsent: readonly Unsent[]): HealthItem[] {
  return unsent.flatMap(({ to, notices, dropped, since, nextAt, why }): HealthItem[] => {
    if (since === null) return []
    const n = notices.length + dropped
    const says =
      why === null ? message('health.alarm.unknown', { n }) : message('health.alarm', { n, why: sentence(why) })
    return [item('alarm', to, 'problem', says, message('todo.alarm'), { since, next: nextAt })]
  })
}

export type TrackedAlarm = z.output<typeof TrackedAlarm>

export const TrackedAlarm = z.object({
  rule: z.string(),
  thing: z.string(),
  since: z.number(),
  raisedAt: z.number().nullable(),
  /** Hub process that saw it last: memory of one hub is invisible to others. */
  by: z.string(),
  goneAt: z.number().nullable(),
  means: z.string().nullable(),
  todo: z.string().nullable(),
})

interface EndedAlarm extends TrackedAlarm {
  /** (ms) */
  lasted: number
}

interface AlarmChanges {
  watched: TrackedAlarm[]
  begun: TrackedAlarm[]
  over: EndedAlarm[]
}

const MINUTE = 60_000

/** A cause must be absent this long to be over, unless found well (ms): flapping is one cause. */
const SETTLES = 2 * MINUTE

const UNTIL_MET: Partial<Record<HealthArea, number>> = {
  destination: 15 * MINUTE,
  disk: 15 * MINUTE,
  clock: 15 * MINUTE,
  log: 15 * MINUTE,
  list: 26 * 60 * MINUTE,
}

const MAX_WATCHED = 1_000

/** Follows causes from health: each is notified once when its rule's patience ends, and once when it is over. `by`: this process. */
export function trackAlarms(
  before: readonly TrackedAlarm[],
  items: readonly HealthItem[],
  rules: readonly AlarmRule[],
  { now, by }: { now: Instant; by: string },
): AlarmChanges {
  const followed: AlarmChanges = { watched: [], begun: [], over: [] }
  const knownBefore = new Map(before.map((one) => [keyOf(one.rule, one.thing), one]))
  const found = new Map(causesIn(items, rules).map((cause) => [keyOf(cause.rule.name, itemNameOf(cause.item)), cause]))
  for (const [key, { rule, item }] of found) {
    const known = knownBefore.get(key)
    if (known === undefined && before.length + followed.watched.length >= MAX_WATCHED) continue
    const since = nullIfFuture(item.since, now) ?? nullIfFuture(known?.since ?? null, now) ?? now
    const words = { means: rule.quotes ? item.means : null, todo: item.todo }
    const ofNow = { since, by, goneAt: null, ...words }
    const one: TrackedAlarm = { rule: rule.name, thing: itemNameOf(item), raisedAt: null, ...known, ...ofNow }
    if (one.raisedAt === null && now - since >= rule.after) {
      one.raisedAt = now
      followed.begun.push(one)
    }
    followed.watched.push(one)
  }
  for (const one of before) {
    const rule = rules.find(({ name }) => name === one.rule)
    if (rule === undefined || one.raisedAt === null || found.has(keyOf(one.rule, one.thing))) continue
    if (isStillPresent(one, rule, items)) followed.watched.push({ ...one, by, goneAt: null })
    else if (items.some(({ area, state }) => state === 'unknown' && area === rule.of.area)) followed.watched.push(one)
    else {
      const goneAt = nullIfFuture(one.goneAt, now) ?? now
      if (now - goneAt >= clearDelay(one, rule, by, items))
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

function isStillPresent({ thing }: TrackedAlarm, rule: AlarmRule, items: readonly HealthItem[]): boolean {
  if (rule.of.area === 'any') return false
  return items.some((item) => itemNameOf(item) === thing && item.state !== 'ok' && isAbout(rule, item))
}

function clearDelay(
  { thing, by: seenBy }: TrackedAlarm,
  { of }: AlarmRule,
  by: string,
  items: readonly HealthItem[],
): number {
  const untilMet = of.area === 'any' ? undefined : UNTIL_MET[of.area]
  const isKnown = seenBy === by || untilMet === undefined
  const well = items.find((item) => itemNameOf(item) === thing && item.state === 'ok')
  if (well?.isMet || (well && isKnown)) return 0
  return isKnown ? SETTLES : untilMet
}

function keyOf(rule: string, thing: string): string {
  return `${rule} ${thing}`
}
