import type { ErrorRequestHandler, RequestHandler, Response } from 'express'
import { StorageUnavailableError, UserError } from '../domain/values/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'

/** RFC 9457 problem; `code` is stable. */
export interface Problem {
  status: number
  code: string
  title: string
  detail?: string
  retryAfter?: number
  more?: Record<string, unknown>
}

export function answerProblem(response: Response, { status, code, title, detail, retryAfter, more }: Problem): void {
  if (retryAfter !== undefined) response.set('Retry-After', String(retryAfter))
  response
    .status(status)
    .type('application/problem+json')
    .send(JSON.stringify({ type: 'about:blank', title, status, code, ...(detail && { detail }), ...more }))
}

/** Status, title, and seconds until it may be asked again. Codes are stable: programs may rely on them. */
const PROBLEMS = {
  'bad-question': [400, 'Bad question'],
  'bad-request': [400, 'Bad request'],
  'idempotency-key-invalid': [400, 'Idempotency-Key is no key'],
  'idempotency-key-missing': [400, 'Idempotency-Key is missing'],
  'neither-email-nor-phone': [400, 'Neither an e-mail address nor a phone number'],
  unreadable: [400, 'Not readable'],
  'wrong-signature': [401, 'Wrong signature'],
  'wrong-token': [401, 'Wrong token'],
  'address-not-allowed': [403, 'Not from this address'],
  'key-may-not': [403, 'This key may not'],
  'role-may-not': [403, 'This role may not'],
  'order-of-another': [403, 'The order of another system'],
  'no-intake': [404, 'Nothing is taken here'],
  'no-such-order': [404, 'No such order'],
  'not-found': [404, 'Not found'],
  'not-mirrored': [404, 'Not mirrored'],
  'order-not-found': [404, 'There is no such order'],
  'method-not-allowed': [405, 'Not this method'],
  'too-slow': [408, 'The body did not come'],
  'confirmation-stale': [409, 'Something else would become 0 now'],
  conflict: [409, 'Submitted before, with other content'],
  'order-cancelled': [409, 'The order was cancelled'],
  'order-not-kept': [409, 'The order is not kept any more'],
  'body-too-large': [413, 'Too large'],
  'unsupported-media-type': [415, 'Unsupported media type'],
  'idempotency-key-reused': [422, 'This Idempotency-Key stands for something else'],
  invalid: [422, 'Not as it should be'],
  'too-many-lookups': [429, 'Too many lookups'],
  'too-many-reads': [429, 'Too many reads at a time', 1],
  'too-many-wrong-tokens': [429, 'Too many wrong tokens', 60],
  'internal-error': [500, 'The hub failed'],
  'platform-does-not-tell': [502, 'The platform does not list its subscriptions'],
  inflated: [503, 'The bodies become too much', 60],
  'order-perhaps-elsewhere': [503, 'Not all systems have answered', 5],
  'over-budget': [503, 'The hub has its hands full', 5],
  'platform-unavailable': [503, 'The platform cannot be asked now', 30],
  'store-overloaded': [503, 'The hub cannot write now', 5],
  'store-unavailable': [503, 'The hub cannot write now', 5],
  'stores-unknown': [503, 'The stores are not known yet', 60],
} as const satisfies Record<string, readonly [status: number, title: string, retryAfter?: number]>

type ProblemCode = keyof typeof PROBLEMS

export function problem(code: ProblemCode, detail?: string, more?: Record<string, unknown>): Problem {
  const [status, title, retryAfter]: readonly [number, string, number?] = PROBLEMS[code]
  return { status, code, title, ...(detail && { detail }), ...(retryAfter && { retryAfter }), ...(more && { more }) }
}

export function sendProblem(response: Response, ...about: Parameters<typeof problem>): void {
  answerProblem(response, problem(...about))
}

/** Ends a request with this problem. */
export class ProblemError extends Error {
  override name = 'ProblemError'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

export function refusal(...about: Parameters<typeof problem>): ProblemError {
  return new ProblemError(problem(...about))
}

export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem
  if (error instanceof StorageUnavailableError)
    return problem(error.code === 'store-overloaded' ? error.code : 'store-unavailable', error.message)
  if (error instanceof UserError) return problem('bad-request', error.message)
  if (isHttpError(error)) return unreadable(error)
  return problem('internal-error', 'The log of the hub says why.')
}

function unreadable({ status, type, limit, message }: HttpError): Problem {
  if (type === 'entity.too.large') return tooLarge(limit)
  const isBroken = type === 'entity.parse.failed'
  return {
    ...problem('bad-request', isBroken ? 'The body is not JSON: it is broken or ends too early.' : message),
    status,
  }
}

export function tooLarge(limit: number | undefined): Problem {
  return problem('body-too-large', `The body is over the limit of ${limit} bytes.`)
}

/** Never repeats the address, which may hold a token. */
export const nothingHere: RequestHandler = ({ path }, response) => {
  const detail = path.startsWith('/v1/')
    ? 'Nothing is at this address below /v1: /openapi.json says what is.'
    : 'The hub has /webhooks/{kind}, /intake/{destination}, /v1, /openapi.json, /api, /console, /admin, /metrics and /health.'
  sendProblem(response, 'not-found', detail)
}

const LOG_INTERVAL_MS = 60_000

export function problemHandler(logger: Logger, clock: Clock): ErrorRequestHandler {
  let saidAt = -LOG_INTERVAL_MS

  return (error, request, response, next) => {
    const problem = problemOf(error)
    if (problem.code === 'internal-error') logger.error({ err: error, path: request.path }, 'request.failed')
    if (error instanceof StorageUnavailableError && clock.now() - saidAt >= LOG_INTERVAL_MS) {
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
