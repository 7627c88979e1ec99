import { Router } from 'express'
import { z } from 'zod'
import type { StockDifference } from '../../domain/catalogue/finding.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { Correct } from '../../inbox/corrections.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Store } from '../../store/store.ts'
import { findingPages } from '../../store/walk-pages.ts'
import type { Acts } from '../acts.ts'
import { operatorOf } from '../asking.ts'
import { parse } from '../filters.ts'
import { firstOf } from './first-of.ts'

interface Options {
  store: Pick<Store, 'findings'>
  correct: Correct
  acts: Acts
  logger: Logger
}

const Run = z.string().min(1)
const Asked = z.strictObject({ run: Run.optional(), state: z.enum(['proposed', 'corrected']).optional() })
const Approval = z.strictObject({ run: Run, reason: z.string().trim().min(1).max(500) })

/** `/admin/stock`: differences that the reconcile job found, and leave to correct those of a run that are proposed. */
export function createStockAdmin({ store, correct, acts, logger }: Options): Router {
  const router = Router()

  router.get('/differences', async (request, response) => {
    const { run, state } = parse(Asked, request.query)
    const all = await differencesOf(run)
    response.json({ differences: all.filter((one) => state === undefined || one.state === state) })
  })

  router.post('/approve', acts.of('correct-stock'), async (request, response) => {
    const { run, reason } = parse(Approval, request.body)
    const proposed = (await differencesOf(run)).filter(({ state }) => state === 'proposed')
    if (proposed.length === 0)
      throw new UserError(
        `run: there is nothing that waits for approval of a run ${run}. "tillbridge stock differences" names the runs of which something does.`,
      )
    const by = operatorOf(request)
    await acts.note(request, { action: 'correct-stock', selection: { run }, reason, changed: proposed.length })
    await correct(proposed, { by, reason })
    logger.warn({ by, run, reason, corrected: proposed.length }, 'stock.differences-approved')
    response.json({ run, corrected: proposed.length })
  })
  return router

  async function differencesOf(run: string | undefined): Promise<StockDifference[]> {
    const filter = { sort: 'stock-difference' as const, ...(run !== undefined && { topic: run }) }
    return (await firstOf(findingPages(store, filter))).map(({ says }) => says)
  }
}
