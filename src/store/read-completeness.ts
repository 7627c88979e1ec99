import { type Completeness, completenessOf, type Verdict, verdictOf } from '../domain/ledger/completeness.ts'
import { LEVELS } from '../domain/ledger/watermark.ts'
import type { Store } from './store.ts'

/** The answer to "is everything here?". */
export interface Answered {
  verdict: Verdict
  watermarks: Completeness[]
}

/** What a store of the hub knows of it now. */
export async function readCompleteness(
  store: Pick<Store, 'watermarks' | 'oldestGaps'>,
  asked: Parameters<typeof completenessOf>[2],
): Promise<Answered> {
  const [watermarks, ...oldest] = await Promise.all([
    store.watermarks(),
    ...LEVELS.map(async (level) => [level, await store.oldestGaps(level)] as const),
  ])
  const all = completenessOf(watermarks, Object.fromEntries(oldest), asked)
  return { verdict: verdictOf(all), watermarks: all }
}
