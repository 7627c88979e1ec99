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
  if (error instanceof UserError) return { status: 400, ...BAD, detail: error.message }
  if (isHttpError(error)) return unreadable(error)
  return { status: 500, code: 'internal-error', title: 'The hub failed', detail: 'The log of the hub says why.' }
}

/** The words on a request that the HTTP library could not read. What was sent is not repeated. */
function unreadable({ status, type, limit, message }: HttpError): Problem {
  if (type === 'entity.parse.failed')
    return { status, ...BAD, detail: 'The body is not JSON: it is broken or ends too early.' }
  if (type === 'entity.too.large')
    return {
      status,
      code: 'body-too-large',
      title: 'Too large',
      detail: `The body is over the limit of ${limit} bytes.`,
    }
  return { status, ...BAD, detail: message }
}

const BAD = { code: 'bad-request', title: 'Bad request' }

/** The answer where no part of the hub answers. The address is not repeated: it may hold a token. */
export const nothingHere: RequestHandler = ({ path }, response) => {
  const detail = path.startsWith('/v1/')
    ? 'Nothing is at this address below /v1: /openapi.json says what is.'
    : 'The hub has /webhooks, /intake, /v1, /openapi.json, /api, /admin, /metrics and /health.'
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

/** An error of Express, or of what reads bodies for it: `type` says which, `limit` of what is too large. */
interface HttpError extends Error {
  status: number
  type?: string
  limit?: number
}

function isHttpError(error: unknown): error is HttpError {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500
}
