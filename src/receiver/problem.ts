import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { StoreUnavailableError, UserError } from '../domain/values/errors.ts'
import type { Clock } from '../lib/clock.ts'
import { answerProblem, type Problem, type Refused } from '../lib/http/problem.ts'
import { prepareToClose } from '../lib/http/tokens.ts'
import type { Logger } from '../lib/logger.ts'
import type { Refusal } from './budget.ts'

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

interface HttpError extends Error {
  status: number
  type?: string
  limit?: number
}

function isHttpError(error: unknown): error is HttpError {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500
}

/** Soon enough that little time is lost, and late enough that what is in hand is done (seconds). */
const RETRY = 5

const PROBLEMS: Record<Refusal, Problem> = {
  'over-budget': {
    status: 503,
    code: 'over-budget',
    title: 'The hub has its hands full',
    detail: 'More is arriving at once than server.limits.inHand allows. Send it again.',
    retryAfter: RETRY,
  },
  inflated: {
    status: 503,
    code: 'inflated',
    title: 'The bodies become too much',
    detail: 'By decompression the bodies of this minute become more than server.limits.inflated allows. Send it again.',
    retryAfter: 60,
  },
  'too-slow': {
    status: 408,
    code: 'too-slow',
    title: 'The body did not come',
    detail: 'The body took longer than server.timeouts.body.',
  },
}

/** Answers a known sender whose body was let go, and ends the connection, which is in the middle of it. */
export async function answerRefused(request: Request, response: Response, why: Refusal, refused: Refused) {
  refused(why, request.ip)
  await endWith(request, response, PROBLEMS[why])
}

/** Answers with a problem when the sender has said what it had to say, and ends the connection. */
export async function endWith(request: Request, response: Response, problem: Problem): Promise<void> {
  if (await prepareToClose(request, response)) answerProblem(response, problem)
}
