import type { ErrorRequestHandler } from 'express'
import { StoreUnavailableError, UserError } from '../domain/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { answerProblem, type Problem } from '../lib/problem.ts'

/** How long a caller should wait for a store that cannot write (seconds). */
const STORE_RETRY = 5

/** What an error means to whoever asked. */
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

/** The last handler: every error that nobody answered. */
export function problemHandler(logger: Logger): ErrorRequestHandler {
  return (error, request, response, next) => {
    const problem = problemOf(error)
    if (problem.status >= 500 && problem.code === 'internal-error')
      logger.error({ err: error, path: request.path }, 'request.failed')
    if (response.headersSent) next(error)
    else answerProblem(response, problem)
  }
}

function isHttpError(error: unknown): error is Error & { status: number } {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500
}
