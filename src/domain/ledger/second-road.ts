import type { Cause } from './causes.ts'
import type { Range } from './covered.ts'
import type { KeptGap } from './gap.ts'

/** Causes of gaps that are of a stretch of time in which the log could tell nothing. */
const NO_LOG_CAUSES = ['expired', 'unwatched'] as const satisfies Cause[]

/** All that are of a stretch of time: also of one that the log may still tell of, once it can be read. */
export const STRETCH_CAUSES = [...NO_LOG_CAUSES, 'unread'] as const satisfies Cause[]

/** Why such a gap is closed by itself. */
export const PROVEN_BY_FACTS = 'proven by facts'

/** A stretch in which the log told nothing of a kind, and its facts have proven that nothing is missing. */
export interface ProvenByFacts extends Range {
  kind: string
  cause: Cause
}

/** The stretch of time that a gap of the log is of; null: it is of none. */
export function stretchOf({ evidence }: Pick<KeptGap, 'evidence'>): Range | null {
  const { from, to } = evidence.log ?? {}
  return typeof from === 'number' && typeof to === 'number' ? { from, to } : null
}

/** The stretches that gaps speak of which facts have closed, in order. */
export function stretchesByFacts(
  gaps: readonly Pick<KeptGap, 'kind' | 'cause' | 'ended' | 'evidence'>[],
): ProvenByFacts[] {
  return gaps
    .flatMap((gap) => {
      const { kind, cause, ended } = gap
      const stretch = stretchOf(gap)
      if (ended?.reason !== PROVEN_BY_FACTS || kind === null || stretch === null) return []
      return [{ kind, cause, ...stretch }]
    })
    .sort((a, b) => a.from - b.from || (a.kind < b.kind ? -1 : 1))
}
