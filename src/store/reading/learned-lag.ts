import { z } from 'zod'
import { lagOf, NO_LATENESSES } from '../../domain/ledger/lag.ts'
import type { Store } from '../store.ts'

/** The state of the job `ledger`, as far as it matters to others. */
const Learned = z.object({
  latenesses: z.array(z.number()),
  ahead: z.object({ by: z.number() }).nullable().default(null),
})

/** How far behind now everything has been told (milliseconds), as the job `ledger` has learned it. */
export async function learnedLag(store: Pick<Store, 'jobs'>): Promise<number> {
  return lagOf((await learned(store))?.latenesses ?? NO_LATENESSES)
}

/** How far behind now the watermarks of the log stand (milliseconds): where it writes by a clock that is ahead, so much more. */
export async function learnedDistance(store: Pick<Store, 'jobs'>): Promise<number> {
  const { latenesses = NO_LATENESSES, ahead = null } = (await learned(store)) ?? {}
  return lagOf(latenesses) + (ahead?.by ?? 0)
}

async function learned(store: Pick<Store, 'jobs'>): Promise<z.output<typeof Learned> | undefined> {
  const left = (await store.jobs()).find(({ name }) => name === 'ledger')?.state ?? 'null'
  return Learned.safeParse(JSON.parse(left)).data
}
