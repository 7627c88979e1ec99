import { Router } from 'express'
import { SCOPES } from '../domain/api-key.ts'
import { answerProblem } from '../lib/problem.ts'
import type { createApiKeyCheck } from './api-key.ts'

/**
 * `/v1`: what own systems submit. This version checks their keys and takes nothing yet; it says so, so that nobody
 * believes something was taken.
 */
export function createSubmissions(check: ReturnType<typeof createApiKeyCheck>): Router {
  const router = Router()
  for (const scope of SCOPES)
    router.post(`/v1/${scope}`, check(scope), (_, response) => {
      const detail = `The key may submit ${scope}, but this version takes no submissions yet. Nothing was kept.`
      answerProblem(response, { status: 501, code: 'not-yet', title: 'Not yet', detail })
    })
  return router
}
