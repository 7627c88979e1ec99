import { type GapChange, type GapFilter, gapKey, type KeptGap } from '../../../domain/ledger/gap.ts'
import { isBreak, settlementOf } from '../../../domain/ledger/till/till-gap.ts'
import type { Store } from '../../../store/store.ts'
import { allGaps } from '../../../store/walk-pages.ts'
import type { StoreSeen } from './look-at-store.ts'

/** All gaps of this road that a filter finds. */
export function tillGaps(store: Pick<Store, 'gaps'>, filter: GapFilter): Promise<KeptGap[]> {
  return allGaps(store, { ...filter, road: 'till' })
}

/** What was seen is kept; what was open, and is not seen any more where its report was judged again, is mended. */
export function gapChanges(open: readonly KeptGap[], stores: readonly StoreSeen[]): GapChange[] {
  const seen = stores.flatMap(({ gaps }) => gaps)
  const keys = new Set(seen.map(gapKey))
  const judged = new Set(stores.flatMap((one) => one.judged))
  const linked = new Set(stores.flatMap((one) => one.linked))
  const isLookedAt = (gap: KeptGap) => (isBreak(gap) ? linked : judged).has(settlementOf(gap) ?? '')
  const mended = open.filter((gap) => !keys.has(gap.key) && isLookedAt(gap))
  return [
    ...seen.map((gap): GapChange => ({ type: 'see', gap })),
    ...mended.map(({ key }): GapChange => ({ type: 'mend', key, reason: 'the till and what is here agree' })),
  ]
}
