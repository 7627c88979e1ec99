import type { createOpening } from '../../opening.ts'
import { createHoldVerbs } from '../../retention/hold-verbs.ts'
import type { Store } from '../../store.ts'
import type { createPipe } from '../lanes/pipe.ts'
import type { createReader } from '../reads/reader.ts'

interface Means {
  pipe: ReturnType<typeof createPipe>
  reader: ReturnType<typeof createReader>
  opening: Pick<ReturnType<typeof createOpening>, 'whileOpen'>
}

/** What has had its time goes, by the writer's thread, slice by slice; what stays is found by the one that reads. */
export function createRetaining({ pipe, reader, opening: { whileOpen } }: Means) {
  const holds = createHoldVerbs(reader, {
    hold: (...given) => pipe.call('hold', given),
    unhold: (...given) => pipe.call('unhold', given),
    noteAct: (...given) => pipe.call('noteAct', given),
  })

  return {
    standing: whileOpen(reader.standing),
    ageing: whileOpen(reader.ageing),
    acknowledgedUpTo: whileOpen(reader.acknowledgedUpTo),
    openGapKeys: whileOpen(reader.openGapKeys),
    dropEvents: whileOpen((ids) => pipe.callWhenFree('dropEvents', [ids])),
    dropAttempts: whileOpen((which) => pipe.callWhenFree('dropAttempts', [which])),
    dropKeys: whileOpen((...given) => pipe.callWhenFree('dropKeys', given)),
    nextReceived: whileOpen((after) => pipe.call('nextReceived', [after])),
    dropKnown: whileOpen((...given) => pipe.callWhenFree('dropKnown', given)),
    dropSearchKeys: whileOpen((...given) => pipe.callWhenFree('dropSearchKeys', given)),
    dropSubmissions: whileOpen((which) => pipe.callWhenFree('dropSubmissions', [which])),
    dropRecords: whileOpen((...given) => pipe.callWhenFree('dropRecords', given)),
    dropAcknowledged: whileOpen((...given) => pipe.callWhenFree('dropAcknowledged', given)),
    shrink: whileOpen((bytes) => pipe.callWhenFree('shrink', [bytes])),
    size: whileOpen(() => pipe.call('size', [])),
    holdEvents: whileOpen(holds.holdEvents),
    unholdEvents: whileOpen(holds.unholdEvents),
    legalHolds: whileOpen(holds.legalHolds),
  } satisfies Partial<Store>
}
