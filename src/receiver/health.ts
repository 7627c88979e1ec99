import { Router } from 'express'
import { type SeenStore, storeHealth } from '../domain/health/storage-health.ts'
import { StoreUnavailableError } from '../domain/values/errors.ts'
import { answerProblem } from '../lib/http/problem.ts'
import { problemOf } from './problem.ts'

/** An answer is good for so long: who asks more often gets the same one (milliseconds). */
const FRESH = 1_000

/**
 * `/health` names the two paths. `/health/live`: the process answers. `/health/ready`: it can take webhooks, which is to write. Anybody may ask, so that the
 * store is asked once a second at most.
 */
export function createHealth(look: () => Promise<SeenStore>, now: () => number = () => performance.now()): Router {
  const router = Router()
  let asked: { at: number; answer: Promise<SeenStore> } | null = null

  function lookNow(): Promise<SeenStore> {
    if (asked === null || now() - asked.at >= FRESH) asked = { at: now(), answer: look() }
    return asked.answer
  }

  router.get('/health', (_, response) => {
    response.json({ live: '/health/live', ready: '/health/ready' })
  })
  router.get('/health/live', (_, response) => {
    response.json({ status: 'live' })
  })
  router.get('/health/ready', async (_, response) => {
    const { state, means } = storeHealth(await lookNow())
    if (state === 'ok') response.json({ status: 'ready' })
    else answerProblem(response, problemOf(new StoreUnavailableError(means)))
  })
  return router
}
