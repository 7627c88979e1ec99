import type { Instant } from '../../values/instant.ts'

/** The newest event when a run began: whoever looks back begins there, and reads nothing that is older. */
export interface Mark {
  at: Instant
  id: number
}

interface Marks {
  marks: readonly Mark[]
}

const HOUR = 3_600_000

/** The event behind which everything is that came since then; null: no run was at work by then. Clocks of hubs may differ. */
export function markBefore({ marks }: Marks, since: Instant): number | null {
  const before = marks.filter(({ at }) => at <= since - HOUR)
  return before.length === 0 ? null : Math.max(...before.map(({ id }) => id))
}

/** The marks with one more; of those that nobody looks back to, the newest stays. */
export function withMark({ marks }: Marks, mark: Mark, since: Instant) {
  const start = markBefore({ marks }, since) ?? 0
  return [...marks.filter(({ id }) => id >= start), mark]
}
