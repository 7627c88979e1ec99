import { Router } from 'express'
import { z } from 'zod'
import type { Clock } from '../lib/clock.ts'
import { type Answered, readCompleteness, readSecondRoad, type SecondRoad } from '../store/read-completeness.ts'
import type { Store } from '../store/store.ts'
import { parse, when } from './filters.ts'

interface Options {
  store: Pick<Store, 'watermarks' | 'oldestGaps' | 'gaps' | 'jobs'>
  clock: Pick<Clock, 'now'>
}

const Asked = z.strictObject({ until: when.optional(), store: z.string().optional() })

/** `/admin/completeness`: up to where nothing is missing, by kind and store. `store`: the platform's id. */
export function createCompletenessAdmin({ store, clock }: Options): Router {
  const router = Router()
  router.get('/', async (request, response) => {
    const { until = null, store: storeId = null } = parse(Asked, request.query)
    const answer = await readCompleteness(store, { until, storeId, now: clock.now() })
    response.json({ ...answer, ...(await readSecondRoad(store)) } satisfies Answered & SecondRoad)
  })
  return router
}
