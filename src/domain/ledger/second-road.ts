import type { Range } from './covered.ts'
import type { KeptGap } from './gap.ts'

/** Why such a gap is closed by itself. */
export const PROVEN_BY_FACTS = 'proven by facts'

/** A stretch in which the log told nothing of a kind, and its facts have proven that nothing is missing. */
export interface ProvenByFacts extends Range {
  kind: string
  /** Why the log could tell nothing. */
  why: string
}

/** The stretch of time that a gap of the log is of; null: it is of none. */
export function stretchOf({ evidence }: Pick<KeptGap, 'evidence'>): Range | null {
  const { from, to } = evidence.log ?? {}
  return typeof from === 'number' && typeof to === 'number' ? { from, to } : null
}

/** The stretches that gaps speak of which facts have closed, in order. */
export function stretchesByFacts(gaps: readonly Pick<KeptGap, 'kind' | 'ended' | 'evidence'>[]): ProvenByFacts[] {
  return gaps
    .flatMap((gap) => {
      const { kind, ended, evidence } = gap
      const stretch = stretchOf(gap)
      if (ended?.reason !== PROVEN_BY_FACTS || kind === null || stretch === null) return []
      return [{ kind, why: String(evidence.log?.why ?? 'the log told nothing'), ...stretch }]
    })
    .sort((a, b) => a.from - b.from || (a.kind < b.kind ? -1 : 1))
}
