import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { StoreUnavailableError, UserError } from '../domain/values/errors.ts'
import type { Clock } from '../lib/clock.ts'
import { answerProblem, type Problem, type Refused } from '../lib/http/problem.ts'
import { prepareToClose } from '../lib/http/tokens.ts'
import type { Logger } from '../lib/logger.ts'
import type { Refusal } from './budget.ts'

export class ProblemError extends Error {
  override name = 'ProblemError'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

/** Seconds. */
const STORE_RETRY = 5

export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem
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

/** Never repeats what was sent. */
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

/** Never repeats the address, which may hold a token. */
export const nothingHere: RequestHandler = ({ path }, response) => {
  const detail = path.startsWith('/v1/')
    ? 'Nothing is at this address below /v1: /openapi.json says what is.'
    : 'The hub has /webhooks/{kind}, /intake/{destination}, /v1, /openapi.json, /api, /admin, /metrics and /health.'
  answerProblem(response, { status: 404, code: 'not-found', title: 'Not found', detail })
}

const SAY_AGAIN = 60_000

export function problemHandler(logger: Logger, clock: Clock): ErrorRequestHandler {
  let saidAt = -SAY_AGAIN

  return (error, request, response, next) => {
    const problem = problemOf(error)
    if (problem.code === 'internal-error') logger.error({ err: error, path: request.path }, 'request.failed')
    if (error instanceof StoreUnavailableError && clock.now() - saidAt >= SAY_AGAIN) {
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

/** Seconds. */
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

/** The connection is closed. */
export async function answerRefused(request: Request, response: Response, why: Refusal, refused: Refused) {
  refused(why, request.ip)
  await endWith(request, response, PROBLEMS[why])
}

export async function endWith(request: Request, response: Response, problem: Problem): Promise<void> {
  if (await prepareToClose(request, response)) answerProblem(response, problem)
}

export interface Refusals extends Disposable {
  note: Refused
  counts(): Record<string, number>
  places(): Record<string, Record<string, number>>
}

const MINUTE = 60_000

const ADDRESSES = 1_000

const NAMED = 3

interface Tally {
  count: number
  byAddress: Map<string, number>
}

/** The first of a reason is logged at once, later ones once a minute. */
export function createRefusals(clock: Clock, logger: Logger): Refusals {
  const counts: Record<string, number> = {}
  const places: Record<string, Record<string, number>> = {}
  const minute = new Map<string, Tally>()
  let cancel: (() => void) | null = null

  function say(): void {
    cancel = null
    for (const [why, tally] of minute) if (tally.count > 0) logger.warn({ why, ...summary(tally) }, 'request.refused')
    const isOver = [...minute.values()].every(({ count }) => count === 0)
    for (const [why, { count }] of minute) {
      if (count === 0) minute.delete(why)
      else minute.set(why, { count: 0, byAddress: new Map() })
    }
    if (!isOver) cancel = clock.after(MINUTE, say)
  }

  return {
    note(why, address = 'unknown', at) {
      counts[why] = (counts[why] ?? 0) + 1
      if (at !== undefined) {
        places[why] = { ...places[why], [at]: (places[why]?.[at] ?? 0) + 1 }
      }
      const tally = minute.get(why)
      if (tally) return count(tally, address)
      minute.set(why, { count: 0, byAddress: new Map() })
      logger.warn({ why, ...(at && { at }), count: 1, from: [{ address, count: 1 }] }, 'request.refused')
      cancel ??= clock.after(MINUTE, say)
    },
    counts: () => ({ ...counts }),
    places: () => structuredClone(places),
    [Symbol.dispose]() {
      cancel?.()
    },
  }
}

function count(tally: Tally, address: string): void {
  tally.count += 1
  const before = tally.byAddress.get(address)
  if (before !== undefined || tally.byAddress.size < ADDRESSES) tally.byAddress.set(address, (before ?? 0) + 1)
}

function summary({ count, byAddress }: Tally) {
  const most = [...byAddress].sort(([, a], [, b]) => b - a).slice(0, NAMED)
  return { count, addresses: byAddress.size, from: most.map(([address, times]) => ({ address, count: times })) }
}
