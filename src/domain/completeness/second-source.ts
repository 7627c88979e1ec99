import type { Range } from './covered.ts'
import type { KeptGap } from './gap.ts'

export const PROVEN_BY_FACTS = 'proven by facts'

/** A range without log that the facts have proven complete. */
export interface ProvenByFacts extends Range {
  kind: string
  /** Why there is no log. */
  why: string
}

/** The range of a gap of the log; null: it has none. */
export function stretchOf({ evidence }: Pick<KeptGap, 'evidence'>): Range | null {
  const { from, to } = evidence.log ?? {}
  return typeof from === 'number' && typeof to === 'number' ? { from, to } : null
}

/** The ranges of gaps that facts have closed, in order. */
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
