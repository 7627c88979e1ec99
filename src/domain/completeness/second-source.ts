import type { Range } from './covered.ts'
import type { KeptGap } from './gap.ts'

export const PROVEN_BY_LISTS = 'proven by lists'

/** A range without log that lists have proven complete. */
export interface ProvenByLists extends Range {
  kind: string
  /** Why there is no log. */
  why: string
}

/** The range of a gap of the log; null: it has none. */
export function stretchOf({ evidence }: Pick<KeptGap, 'evidence'>): Range | null {
  const { from, to } = evidence.log ?? {}
  return typeof from === 'number' && typeof to === 'number' ? { from, to } : null
}

/** The ranges of gaps that lists have closed, in order. */
export function stretchesByLists(gaps: readonly Pick<KeptGap, 'kind' | 'ended' | 'evidence'>[]): ProvenByLists[] {
  return gaps
    .flatMap((gap) => {
      const { kind, ended, evidence } = gap
      const stretch = stretchOf(gap)
      if (ended?.reason !== PROVEN_BY_LISTS || kind === null || stretch === null) return []
      return [{ kind, why: String(evidence.log?.why ?? 'the log told nothing'), ...stretch }]
    })
    .sort((a, b) => a.from - b.from || (a.kind < b.kind ? -1 : 1))
}
