import { counted } from '../values/counted.ts'
import { formatInstant, type Instant } from '../values/instant.ts'
import { lasting } from '../values/lasting.ts'
import type { Over, Watched } from './follow.ts'
import type { AlarmRule, Severity } from './rule.ts'

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

/** What is to be said of a look: one notice for each rule and change, however many causes there are. */
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
