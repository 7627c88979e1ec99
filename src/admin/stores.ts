import { z } from 'zod'
import { ActivityProfile, type Inactivity } from '../domain/inactivity.ts'
import { createStoreIndex } from '../domain/stores/store-index.ts'
import type { Instant } from '../domain/values/instant.ts'
import { notFoundText } from '../domain/values/text.ts'
import type { StoredStore } from '../storage/rows.ts'
import type { AdminContext } from './context.ts'
import { get, NOTHING, notFound, type Route } from './routes.ts'

export interface StoreActivity extends StoredStore {
  /** Newest event first; kinds that were never sent are absent. */
  kinds: { kind: string; last: Instant }[]
  inactive: Inactivity[]
}

const Learned = z
  .object({ usuals: z.array(ActivityProfile) })
  .nullable()
  .catch(null)

/** What comes from each store, as the job `inactivity` has seen it. */
export function storeRoutes({ storage, inactivities, arrivals }: AdminContext): Route[] {
  async function activities(): Promise<StoreActivity[]> {
    const [stores, jobs, inactive] = await Promise.all([storage.stores(), storage.jobs(), inactivities()])
    const left = jobs.find(({ name }) => name === 'inactivity')?.state ?? 'null'
    const usuals = Learned.parse(JSON.parse(left))?.usuals ?? []
    const { keyOf } = createStoreIndex(stores)
    return stores.map((store) => {
      const key = keyOf(store) ?? store.storeId
      const own = usuals.filter((one) => one.store === key).sort((a, b) => b.last - a.last)
      return {
        ...store,
        kinds: own.map(({ kind, last }) => ({ kind, last })),
        inactive: inactive.filter(({ name }) => name === `store ${key}` || name.startsWith(`${key} `)),
      }
    })
  }

  return [
    /** Webhooks of the last day by the hour, and what is usual. Null: not counted yet. */
    get('/arrivals', NOTHING, async () => ({ hours: await arrivals() })),

    get('/stores', NOTHING, async () => ({ stores: await activities() })),

    get('/stores/:id', NOTHING, async ({ params: { id } }) => {
      const found = (await activities()).find(({ storeId }) => storeId === id)
      if (!found) throw notFound(notFoundText('store', String(id)))
      return found
    }),
  ]
}
