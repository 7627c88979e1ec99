import { marksOf } from '../../../domain/ledger/marks.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Store } from '../../../store/store.ts'

interface Tools {
  store: Pick<Store, 'covered' | 'oldestGaps' | 'watermarks' | 'saveLedger'>
  logger: Logger
  now: Instant
}

/** Moves the watermarks of the facts, of these kinds. `begins`: from where events could tell, by kind. */
export async function moveFactMarks(
  begins: ReadonlyMap<string, Instant>,
  { store, logger, now }: Tools,
): Promise<void> {
  const marks = await store.watermarks()
  const oldest = await store.oldestGaps('facts')
  for (const [kind, from] of begins) {
    const covered = await store.covered('facts', kind)
    const proof = { level: 'facts', kind, storeId: null, from, covered, excused: [] } as const
    const { changes, wentBack } = marksOf(proof, { marks, oldest, now, isApart: () => false })
    await store.saveLedger({ watermarks: changes }, now)
    for (const back of wentBack) logger.error(back, 'watermark.went-back')
  }
}
