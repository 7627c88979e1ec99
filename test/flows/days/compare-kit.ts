import type { GapView } from '../../../src/admin/completeness.ts'
import type { DestinationCompleteness } from '../../../src/domain/completeness/reconciled.ts'
import type { There } from '../../../src/storage/read-completeness.ts'
import type { TestClock } from '../../clock.ts'
import { HOUR } from '../../jobs/kit.ts'
import type { OpenStore } from './open-store.ts'

export interface Compared extends Pick<OpenStore, 'hub'> {
  clock: TestClock
}

/** Asks all destinations what they have, later than patience has it, and gives the gaps that are open then. */
export async function compare({ hub, clock }: Compared): Promise<GapView[]> {
  clock.advance(2 * HOUR)
  await hub.admin('jobs/reconcile-destinations/run', {})
  return (await hub.admin<{ gaps: GapView[] }>('gaps?state=open&source=destination')).body.gaps
}

export async function thereOf(
  { hub }: Pick<OpenStore, 'hub'>,
  wanted: string,
): Promise<DestinationCompleteness | undefined> {
  return (await hub.admin<There>('completeness')).body.destinations.find(({ name }) => name === wanted)
}
