import { Router } from 'express'
import { answerProblem } from '../lib/problem.ts'
import { problemOf } from './problem.ts'

/** `/health/live`: the process answers. `/health/ready`: it can take webhooks, which is to write. */
export function createHealth(ready: () => Promise<void>): Router {
  const router = Router()
  router.get('/health/live', (_, response) => {
    response.json({ status: 'live' })
  })
  router.get('/health/ready', async (_, response) => {
    try {
      await ready()
      response.json({ status: 'ready' })
    } catch (error) {
      answerProblem(response, problemOf(error))
    }
  })
  return router
}
