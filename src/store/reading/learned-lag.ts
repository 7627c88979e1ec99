import { z } from 'zod'
import { lagOf, NO_LATENESSES } from '../../domain/ledger/lag.ts'
import type { Store } from '../store.ts'

/** The state of the job `ledger`, as far as it matters to others. */
const Learned = z.object({ latenesses: z.array(z.number()) })

/** How far behind now everything has been told (milliseconds), as the job `ledger` has learned it. */
export async function learnedLag(store: Pick<Store, 'jobs'>): Promise<number> {
  const left = (await store.jobs()).find(({ name }) => name === 'ledger')?.state ?? 'null'
  return lagOf(Learned.safeParse(JSON.parse(left)).data?.latenesses ?? NO_LATENESSES)
}
