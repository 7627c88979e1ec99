import { Router } from 'express'
import { z } from 'zod'
import { askedTime } from '../domain/ledger/day-range.ts'
import { presentOf } from '../domain/places/store-index.ts'
import type { Clock } from '../lib/clock.ts'
import {
  type Answered,
  type CompletenessContext,
  readCompleteness,
  readSecondRoad,
  readThere,
  type SecondRoad,
  type There,
} from '../store/read-completeness.ts'
import type { Store } from '../store/store.ts'
import { askedStore } from './asked-store.ts'
import { Day, parse, when } from './filters.ts'

interface Options {
  store: Pick<Store, 'watermarks' | 'oldestGaps' | 'gaps' | 'jobs' | 'stores'>
  completeness: CompletenessContext
  clock: Pick<Clock, 'now'>
}

const Asked = z.strictObject({ until: when.optional(), day: Day.optional(), store: z.string().optional() })

/**
 * `/admin/completeness`: up to where nothing is missing, by kind and store. `store`: its number, or the platform's id; `day`: from the
 * beginning of that day to its end, by the clocks of the stores.
 */
export function createCompletenessAdmin({ store, completeness, clock }: Options): Router {
  const router = Router()
  router.get('/', async (request, response) => {
    const { store: of, ...time } = parse(Asked, request.query)
    const stores = await store.stores()
    const one = of === undefined ? null : askedStore(of, stores)
    const ofTime = askedTime(time, one === null ? presentOf(stores) : [one])
    const asked = { ...ofTime, storeId: one?.storeId ?? null, now: clock.now() }
    const [answer, second, there] = await Promise.all([
      readCompleteness(store, completeness, asked),
      readSecondRoad(store, { day: time.day, storeId: asked.storeId }),
      readThere(store, asked),
    ])
    response.json({ ...answer, ...second, ...there } satisfies Answered & SecondRoad & There)
  })
  return router
}
