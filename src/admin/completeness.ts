import { Router } from 'express'
import { z } from 'zod'
import { type Completeness, completenessOf, type Verdict, verdictOf } from '../domain/ledger/completeness.ts'
import { NO_LOG_CAUSES, type ProvenByFacts, stretchesByFacts } from '../domain/ledger/second-road.ts'
import type { Clock } from '../lib/clock.ts'
import type { Store } from '../store/store.ts'
import { parse, when } from './filters.ts'

/** The answer to "is everything here?". */
export interface Answered {
  verdict: Verdict
  watermarks: Completeness[]
  /** Stretches that the log could not prove, and that the facts have. */
  byFacts: ProvenByFacts[]
  /** By kind: why the platform's lists cannot tell of it. */
  cannotTell: Record<string, string>
}

interface Options {
  store: Pick<Store, 'watermarks' | 'oldestGaps' | 'gaps' | 'jobs'>
  clock: Pick<Clock, 'now'>
}

/** The log is gone, or a subscription away, a few times in a year. */
const MOST = 1_000

/** As the job leaves it. */
const Left = z.object({ cannotTell: z.record(z.string(), z.string()) })

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
    const closed = NO_LOG_CAUSES.map((cause) => store.gaps({ road: 'log', cause, state: 'mended' }, 0, MOST))
    const byFacts = stretchesByFacts((await Promise.all(closed)).flat())
    response.json({
      verdict: verdictOf(all),
      watermarks: all,
      byFacts,
      cannotTell: await whatCannotBeTold(),
    } satisfies Answered)
  })
  return router

  async function whatCannotBeTold(): Promise<Record<string, string>> {
    const row = (await store.jobs()).find(({ name }) => name === 'compare-facts')
    return row?.state == null ? {} : (Left.safeParse(JSON.parse(row.state)).data?.cannotTell ?? {})
  }
}
