import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { Clock } from '../../lib/clock.ts'
import { answerProblem, type Refused, recognise } from '../../lib/http/problem.ts'
import { bearerOf, createTokenCheck, createWrongTokenAnswer } from '../../lib/http/tokens.ts'
import { createRateLimiter } from '../../lib/rate-limiter.ts'
import type { TillPriority } from '../till-priority.ts'

interface Options {
  /** The key of the lookup under `lookups` in config. */
  name: 'customers' | 'orders'
  tokens: readonly string[]
  perMinute: number
  /** The one parameter of the query. */
  parameter: string
  clock: Clock
  tillPriority: Pick<TillPriority, 'during'>
  refused: Refused
  /** Answers a question; `gone` when nobody waits for the answer any more. */
  answer(asked: string, response: Response, gone: AbortSignal): Promise<void>
}

/** The longest question (characters): an e-mail address has at most 254. */
const LONGEST = 300

const CONTROL = /\p{Cc}/u

/**
 * The route of a lookup: answers who has one of its tokens and asks not too often, with one question of sane length. No
 * answer repeats what was asked: it is about a person.
 */
export function createLookupRouter({
  name,
  tokens,
  perMinute,
  parameter,
  clock,
  tillPriority,
  refused,
  answer,
}: Options): RequestHandler {
  const checks = tokens.map((token) => createTokenCheck([token]))
  const limiters = tokens.map(() => createRateLimiter({ perSecond: perMinute / 60, burst: perMinute }, clock))
  const refuse = createWrongTokenAnswer(
    `Send Authorization: Bearer … with one of the tokens of lookups.${name}.tokens.`,
    refused,
  )
  const router = Router()
  router.get('/', async (request, response) => {
    // Tokens are all compared, so that the time does not tell which one was near.
    const known = checks.map((check) => check(bearerOf(request.headers.authorization)))
    const token = known.indexOf(true)
    if (token === -1) return await refuse(request, response)
    recognise(request, response, `lookups ${name}`)
    // Answers about people are for this till, now.
    response.set('Cache-Control', 'no-store')
    const pause = limiters[token]?.take() ?? 0
    if (pause > 0) return tooMany(response, Math.ceil(pause / 1_000))
    const asked = request.query[parameter]
    if (typeof asked !== 'string' || asked.trim() === '' || asked.length > LONGEST || CONTROL.test(asked))
      return badQuestion(response)
    await tillPriority.during(() => answer(asked, response, goneOf(request, response)))
  })
  router.all('/', (_, response) => {
    response.set('Allow', 'GET, HEAD')
    answerProblem(response, {
      status: 405,
      code: 'not-a-lookup',
      title: 'Not a lookup',
      detail: `It is GET, with ?${parameter}=….`,
    })
  })
  return router

  function tooMany(response: Response, retryAfter: number): void {
    answerProblem(response, {
      status: 429,
      code: 'too-many-lookups',
      title: 'Too many lookups',
      detail: `This token may ask ${perMinute} questions in a minute (lookups.${name}.perMinute).`,
      retryAfter,
    })
  }

  function badQuestion(response: Response): void {
    answerProblem(response, {
      status: 400,
      code: 'bad-question',
      title: 'Bad question',
      detail: `Send one parameter "${parameter}" with 1 to ${LONGEST} characters on one line.`,
    })
  }
}

/** Aborted when the till hangs up before it is answered. */
function goneOf(request: Request, response: Response): AbortSignal {
  const controller = new AbortController()
  const close = () => {
    if (!response.writableEnded) controller.abort(new DOMException('the till hung up', 'AbortError'))
  }
  response.once('close', close)
  if (request.socket.destroyed) close()
  return controller.signal
}
