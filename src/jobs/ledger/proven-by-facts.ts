import { covers, type Range } from '../../domain/ledger/covered.ts'
import type { GapChange, KeptGap } from '../../domain/ledger/gap.ts'
import { intersected } from '../../domain/ledger/merged.ts'
import { PROVEN_BY_FACTS, stretchOf } from '../../domain/ledger/second-road.ts'
import type { Store } from '../../store/store.ts'
import { allGaps } from '../../store/walk-pages.ts'

/**
 * The stretches of a kind, in a store (null: in all), that no log could prove and its facts have: looked through from end to end, and no fact of them is lacking.
 * The gaps that were open for them are closed; one whose facts are in doubt again is opened by who finds the hole.
 */
export async function provenByFacts(
  kind: string,
  storeId: string | null,
  store: Pick<Store, 'covered' | 'gaps' | 'oldestGaps'>,
): Promise<{ ranges: Range[]; changes: GapChange[] }> {
  const covered = await store.covered('facts', kind)
  if (covered.length === 0) return { ranges: [], changes: [] }
  const open = (await store.oldestGaps('facts')).filter((gap) => gap.kind === null || gap.kind === kind)
  const end = Math.min(...open.map(({ at }) => at), Number.MAX_SAFE_INTEGER)
  const proven = intersected(covered, [{ from: Number.MIN_SAFE_INTEGER, to: end }])
  const gaps: KeptGap[] = []
  for (const state of ['open', 'mended'] as const)
    gaps.push(...(await allGaps(store, { road: 'log', cause: 'not-looked-at', kind, state })))
  // What was compared for one store says nothing of another that had no subscription then.
  const isHere = (gap: KeptGap) => gap.storeId === null || gap.storeId === storeId
  const ranges: Range[] = []
  const changes: GapChange[] = []
  for (const gap of gaps) {
    const stretch = stretchOf(gap)
    if (stretch === null || !isHere(gap) || !covers(proven, stretch)) continue
    ranges.push(stretch)
    if (gap.state === 'open') changes.push({ type: 'mend', key: gap.key, reason: PROVEN_BY_FACTS })
  }
  return { ranges, changes }
}
