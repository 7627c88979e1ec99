import type { CoveredChange, GapChange } from '../../domain/completeness/gap.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { chunksOf } from '../../lib/collections.ts'
import type { Storage } from '../../storage/storage.ts'

/** Gaps per commit: webhooks wait for it. */
const TOGETHER = 250

/** Saves gaps, and with the last of them what is covered: nothing is covered whose gaps are not saved. Returns how many gaps there were. */
export async function saveGaps(
  storage: Pick<Storage, 'saveReconciliation'>,
  changes: Iterable<GapChange>,
  now: Instant,
  covered: CoveredChange[] = [],
): Promise<number> {
  let count = 0
  let last: GapChange[] = []
  for (const part of chunksOf(changes, TOGETHER)) {
    if (last.length > 0) await storage.saveReconciliation({ gaps: last }, now)
    last = part
    count += part.length
  }
  if (last.length > 0 || covered.length > 0) await storage.saveReconciliation({ gaps: last, covered }, now)
  return count
}
