import { Router } from 'express'
import { z } from 'zod'
import type { Clock } from '../lib/clock.ts'
import {
  type Answered,
  type ReadWantedLogs,
  readCompleteness,
  readSecondRoad,
  readThere,
  type SecondRoad,
  type There,
} from '../store/read-completeness.ts'
import type { Store } from '../store/store.ts'
import { askedStore } from './asked-store.ts'
import { parse, when } from './filters.ts'

interface Options {
  store: Pick<Store, 'watermarks' | 'oldestGaps' | 'gaps' | 'jobs' | 'stores'>
  wantedLogs: ReadWantedLogs
  clock: Pick<Clock, 'now'>
}

const Asked = z.strictObject({ until: when.optional(), store: z.string().optional() })

/** `/admin/completeness`: up to where nothing is missing, by kind and store. `store`: its number, or the platform's id. */
export function createCompletenessAdmin({ store, wantedLogs, clock }: Options): Router {
  const router = Router()
  router.get('/', async (request, response) => {
    const { until = null, store: of } = parse(Asked, request.query)
    const storeId = of === undefined ? null : askedStore(of, await store.stores()).storeId
    const asked = { until, storeId, now: clock.now() }
    const [answer, second, there] = await Promise.all([
      readCompleteness(store, wantedLogs, asked),
      readSecondRoad(store),
      readThere(store, asked),
    ])
    response.json({ ...answer, ...second, ...there } satisfies Answered & SecondRoad & There)
  })
  return router
}
