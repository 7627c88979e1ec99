import type { Range } from '../../../domain/ledger/covered.ts'
import { unlistedStretch } from '../../../domain/ledger/facts/unlisted.ts'
import type { Store } from '../../../store/store.ts'
import { allGaps } from '../../../store/walk-pages.ts'

/** Stretches of days that no list could prove of a kind, and that a person has explained. A store that such a day lacked is held up no more. */
export async function explainedDays(kind: string, store: Pick<Store, 'gaps'>): Promise<Range[]> {
  const explained = await allGaps(store, { road: 'facts', cause: 'unlisted', kind, state: 'explained' })
  return explained.flatMap((gap) => (gap.storeId === null ? (unlistedStretch(gap) ?? []) : []))
}
