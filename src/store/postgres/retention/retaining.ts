import type { createOpening } from '../../opening.ts'
import { createHoldVerbs } from '../../retention/hold-verbs.ts'
import type { Store } from '../../store.ts'
import type { createActs } from '../acts.ts'
import type { PostgresReading } from '../reading.ts'
import type { Database } from '../server/database.ts'
import { createDropping } from './dropping.ts'
import { createHolding } from './holding.ts'
import { createOldRecords } from './old-records.ts'

interface Means {
  db: Database
  reading: PostgresReading
  acts: Pick<ReturnType<typeof createActs>, 'noteAct'>
  whileOpen: ReturnType<typeof createOpening>['whileOpen']
}

/** What has had its time goes, slice by slice. */
export function createRetaining({ db, reading, acts, whileOpen }: Means) {
  const dropping = createDropping(db)
  const old = createOldRecords(db)
  const holds = createHoldVerbs(reading, { ...createHolding(db), noteAct: acts.noteAct })

  return {
    standing: whileOpen(reading.standing),
    ageing: whileOpen(reading.ageing),
    acknowledgedUpTo: whileOpen(reading.acknowledgedUpTo),
    openGapKeys: whileOpen(reading.openGapKeys),
    dropEvents: whileOpen(dropping.dropEvents),
    dropAttempts: whileOpen(dropping.dropAttempts),
    dropKeys: whileOpen(old.dropKeys),
    nextReceived: whileOpen(old.nextReceived),
    dropKnown: whileOpen(old.dropKnown),
    dropSearchKeys: whileOpen(old.dropSearchKeys),
    dropSubmissions: whileOpen(old.dropSubmissions),
    dropRecords: whileOpen(old.dropRecords),
    dropAcknowledged: whileOpen(old.dropAcknowledged),
    shrink: whileOpen(old.shrink),
    purgeDue: async () => null,
    size: whileOpen(old.size),
    holdEvents: whileOpen(holds.holdEvents),
    unholdEvents: whileOpen(holds.unholdEvents),
    legalHolds: whileOpen(holds.legalHolds),
  } satisfies Partial<Store>
}
