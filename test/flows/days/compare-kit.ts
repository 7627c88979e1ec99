import type { ToldGap } from '../../../src/admin/completeness.ts'
import type { CompleteThere } from '../../../src/domain/ledger/destination/held-there.ts'
import type { There } from '../../../src/store/read-completeness.ts'
import type { TestClock } from '../../clock.ts'
import { HOUR } from '../../jobs/kit.ts'
import type { OpenStore } from './open-store.ts'

export interface Compared extends Pick<OpenStore, 'hub'> {
  clock: TestClock
}

/** Asks all destinations what they have, later than patience has it, and gives the gaps that are open then. */
export async function compare({ hub, clock }: Compared): Promise<ToldGap[]> {
  clock.advance(2 * HOUR)
  await hub.admin('jobs/compare-destinations/run', {})
  return (await hub.admin<{ gaps: ToldGap[] }>('gaps?state=open&road=destination')).body.gaps
}

export async function thereOf({ hub }: Pick<OpenStore, 'hub'>, wanted: string): Promise<CompleteThere | undefined> {
  return (await hub.admin<There>('completeness')).body.destinations.find(({ name }) => name === wanted)
}
