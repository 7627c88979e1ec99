import type { ErrorRequestHandler, RequestHandler } from 'express'
import { StoreUnavailableError, UserError } from '../domain/values/errors.ts'
import type { Clock } from '../lib/clock.ts'
import { answerProblem, type Problem } from '../lib/http/problem.ts'
import type { Logger } from '../lib/logger.ts'

/** How long a caller should wait for a store that cannot write (seconds). */
const STORE_RETRY = 5

/** The meaning of an error to whoever asked. */
export function problemOf(error: unknown): Problem {
  if (error instanceof StoreUnavailableError)
    return {
      status: 503,
      code: error.code === 'store-overloaded' ? error.code : 'store-unavailable',
      title: 'The hub cannot write now',
      detail: error.message,
      retryAfter: STORE_RETRY,
    }
  if (error instanceof UserError)
    return { status: 400, code: 'bad-request', title: 'Bad request', detail: error.message }
  if (isHttpError(error))
    return { status: error.status, code: 'bad-request', title: 'Bad request', detail: error.message }
  return { status: 500, code: 'internal-error', title: 'The hub failed', detail: 'The log of the hub says why.' }
}

/** The answer where no part of the hub answers. The address is not repeated: it may hold a token. */
export const nothingHere: RequestHandler = (_, response) => {
  const detail = 'The hub has /webhooks, /intake, /v1, /openapi.json, /api, /admin, /metrics and /health.'
  answerProblem(response, { status: 404, code: 'not-found', title: 'Not found', detail })
}

/** A store that cannot write is named in the log this often, not once for each request that it fails (milliseconds). */
const SAY_AGAIN = 60_000

/** The last handler: every error that nobody answered. */
export function problemHandler(logger: Logger, clock: Clock): ErrorRequestHandler {
  let saidAt = -SAY_AGAIN

  return (error, request, response, next) => {
    const problem = problemOf(error)
    if (problem.code === 'internal-error') logger.error({ err: error, path: request.path }, 'request.failed')
    if (problem.status === 503 && clock.now() - saidAt >= SAY_AGAIN) {
      saidAt = clock.now()
      logger.error({ why: problem.detail }, 'store.unavailable')
    }
    if (response.headersSent) next(error)
    else answerProblem(response, problem)
  }
}

function isHttpError(error: unknown): error is Error & { status: number } {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500
}
