import type { Instant } from '../values/instant.ts'
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

/** A thing that a notice names. */
export interface NoticeThing {
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
