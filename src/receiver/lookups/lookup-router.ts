import { type Request, type RequestHandler, type Response, Router } from 'express'
import { MisfitError } from '../../domain/values/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { answerProblem, type Refused, recognise } from '../../lib/http/problem.ts'
import { bearerOf, createTokenCheck, createWrongTokenAnswer } from '../../lib/http/tokens.ts'
import { type ExpressionFault, evaluate, isNoFunction, syntaxFault } from '../../lib/jsonata.ts'
import { createRateLimiter } from '../../lib/rate-limiter.ts'
import type { TillPriority } from '../till-priority.ts'

interface Options {
  /** The key of the lookup under `lookups` in config. */
  name: 'customers' | 'orders'
  tokens: readonly string[]
  perMinute: number
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

/** Makes the answer of a list of things, or of one thing. Throws a TemplateError. */
export type Template<Found> = (found: Found) => unknown

/** A template could not be carried out. JSONata's own words show what it stumbled over: they stay inside. */
class TemplateError extends Error {
  override name = 'TemplateError'
}

/** The answer of one thing; `key` is where it stands in config. Throws a MisfitError where it cannot be read. */
export function createTemplate<Found>(text: string, key: string, name: string): Template<Found> {
  const fault = syntaxFault(text) ?? missingFunction(text, name)
  if (fault) throw unreadable(key, fault)
  return (found) => {
    const result = evaluate(text, { [name]: found })
    if ('fault' in result) throw failed(key, result.fault)
    return result.value ?? null
  }
}

/**
 * The answer of a list. JSONata writes a list of one as that one, and an empty one as nothing: where a template makes a list
 * of two `samples`, it makes a list of any number. Throws a MisfitError where it cannot be read.
 */
export function createListTemplate<Item>(
  text: string,
  key: string,
  samples: readonly Item[],
): Template<readonly Item[]> {
  const make = createTemplate<readonly Item[]>(text, key, 'customers')
  const isList = makesList(() => make(samples))
  return (customers) => {
    const made = make(customers)
    if (!isList || Array.isArray(made)) return made
    return made === null ? [] : [made]
  }
}

function makesList(make: () => unknown): boolean {
  try {
    return Array.isArray(make())
  } catch {
    return false
  }
}

/** A template that calls an unknown function fails only when evaluated. */
function missingFunction(text: string, name: string): ExpressionFault | null {
  const tried = evaluate(text, { [name]: null })
  return 'fault' in tried && isNoFunction(tried.fault) ? tried.fault : null
}

function unreadable(key: string, { code, message, position }: ExpressionFault): MisfitError {
  return new MisfitError([{ path: key.split('.'), expected: `JSONata${placeOf(position)} (${code}: ${message})` }])
}

function failed(key: string, { code, position }: ExpressionFault): TemplateError {
  return new TemplateError(`${key} failed: ${code}${placeOf(position)}`)
}

function placeOf(position: number | null): string {
  return position === null ? '' : ` at character ${position}`
}
