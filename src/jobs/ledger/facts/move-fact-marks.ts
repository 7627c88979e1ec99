import { marksOf } from '../../../domain/ledger/marks.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { Store } from '../../../store/store.ts'
import { explainedDays } from './explained-days.ts'

interface Tools {
  store: Pick<Store, 'covered' | 'gaps' | 'oldestGaps' | 'watermarks' | 'saveLedger'>
  logger: Logger
  now: Instant
}

/** Moves the watermarks of the facts, of these kinds; those of others go, since nothing moves them any more. `begins`: from where events could tell, by kind. */
export async function moveFactMarks(
  begins: ReadonlyMap<string, Instant>,
  { store, logger, now }: Tools,
): Promise<void> {
  const marks = await store.watermarks()
  const oldest = await store.oldestGaps('facts')
  const left = marks.filter(({ level, kind }) => level === 'facts' && !begins.has(kind))
  const drops = left.map(({ kind, storeId }) => ({ type: 'drop', level: 'facts', kind, storeId }) as const)
  if (drops.length > 0) await store.saveLedger({ watermarks: drops }, now)
  for (const [kind, from] of begins) {
    const covered = await store.covered('facts', kind)
    const excused = await explainedDays(kind, store)
    const proof = { level: 'facts', kind, storeId: null, from, covered, excused } as const
    const { changes, wentBack } = marksOf(proof, { marks, oldest, now, isApart: () => false })
    await store.saveLedger({ watermarks: changes }, now)
    for (const back of wentBack) logger.error(back, 'watermark.went-back')
  }
}
