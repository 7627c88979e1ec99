import { Router } from 'express'
import { answerProblem } from '../lib/problem.ts'
import { problemOf } from './problem.ts'

/** An answer is good for so long: who asks more often gets the same one (milliseconds). */
const FRESH = 1_000

/**
 * `/health/live`: the process answers. `/health/ready`: it can take webhooks, which is to write. Anybody may ask, so that the
 * store is asked once a second at most.
 */
export function createHealth(ready: () => Promise<void>, now: () => number = () => performance.now()): Router {
  const router = Router()
  let asked: { at: number; answer: Promise<void> } | null = null

  function readyNow(): Promise<void> {
    if (asked === null || now() - asked.at >= FRESH) asked = { at: now(), answer: ready() }
    return asked.answer
  }

  router.get('/health/live', (_, response) => {
    response.json({ status: 'live' })
  })
  router.get('/health/ready', async (_, response) => {
    try {
      await readyNow()
      response.json({ status: 'ready' })
    } catch (error) {
      answerProblem(response, problemOf(error))
    }
  })
  return router
}
