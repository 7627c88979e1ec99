import { Router } from 'express'
import { z } from 'zod'
import { type Completeness, completenessOf, type Verdict, verdictOf } from '../domain/ledger/completeness.ts'
import type { Clock } from '../lib/clock.ts'
import type { Store } from '../store/store.ts'
import { parse, when } from './filters.ts'

/** The answer to "is everything here?". */
export interface Answered {
  verdict: Verdict
  watermarks: Completeness[]
}

interface Options {
  store: Pick<Store, 'watermarks' | 'oldestGaps'>
  clock: Pick<Clock, 'now'>
}

const Asked = z.strictObject({ until: when.optional(), store: z.string().optional() })

/** `/admin/completeness`: up to where nothing is missing, by kind and store. `store`: the platform's id. */
export function createCompletenessAdmin({ store, clock }: Options): Router {
  const router = Router()
  router.get('/', async (request, response) => {
    const { until = null, store: storeId = null } = parse(Asked, request.query)
    const [watermarks, log, facts, till] = await Promise.all([
      store.watermarks(),
      store.oldestGaps('log'),
      store.oldestGaps('facts'),
      store.oldestGaps('till'),
    ])
    const all = completenessOf(watermarks, { log, facts, till }, { until, storeId, now: clock.now() })
    response.json({ verdict: verdictOf(all), watermarks: all } satisfies Answered)
  })
  return router
}
