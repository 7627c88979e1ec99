import type { HealthItem } from '../health/health.ts'
import { counted } from '../values/counted.ts'
import { formatInstant, type Instant } from '../values/instant.ts'
import { lasting } from '../values/lasting.ts'
import { isStillToCome, over } from '../values/still-to-come.ts'
import type { Over, Watched } from './follow.ts'
import type { AlarmRule, Severity } from './rules.ts'

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
