import { type Request, type RequestHandler, type Response, Router } from 'express'
import { ConfigIssueError } from '../../domain/values/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { answerProblem, type Refused, recognise } from '../../lib/http/problem.ts'
import { bearerOf, createTokenCheck, createWrongTokenAnswer } from '../../lib/http/tokens.ts'
import { type ExpressionFault, evaluate, isNoFunction, syntaxFault } from '../../lib/jsonata.ts'
import { createRateLimiter } from '../../lib/rate-limiter.ts'
import type { PosPriority } from '../pos-priority.ts'
import { problem, sendProblem } from '../problem.ts'

interface Options {
  name: 'customers' | 'orders'
  tokens: readonly string[]
  perMinute: number
  parameter: string
  clock: Clock
  posPriority: Pick<PosPriority, 'during'>
  refused: Refused
  answer(asked: string, response: Response, gone: AbortSignal): Promise<void>
}

/** Characters. */
const LONGEST = 300

const CONTROL = /\p{Cc}/u

/** No answer repeats the question, which is about a person. */
export function createLookupRouter({
  name,
  tokens,
  perMinute,
  parameter,
  clock,
  posPriority,
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
    const known = checks.map((check) => check(bearerOf(request.headers.authorization)))
    const token = known.indexOf(true)
    if (token === -1) return await refuse(request, response)
    recognise(request, response, `lookups ${name}`)
    response.set('Cache-Control', 'no-store')
    const pause = limiters[token]?.take() ?? 0
    if (pause > 0) {
      const detail = `This token may ask ${perMinute} questions in a minute (lookups.${name}.perMinute).`
      return answerProblem(response, { ...problem('too-many-lookups', detail), retryAfter: Math.ceil(pause / 1_000) })
    }
    const asked = request.query[parameter]
    if (typeof asked !== 'string' || asked.trim() === '' || asked.length > LONGEST || CONTROL.test(asked))
      return sendProblem(
        response,
        'bad-question',
        `Send one parameter "${parameter}" with 1 to ${LONGEST} characters on one line.`,
      )
    await posPriority.during(() => answer(asked, response, goneOf(request, response)))
  })
  return router
}

/** Fields of the platform that the hub does not know. */
export function nulls(names: string): Record<string, null> {
  return Object.fromEntries(names.split(' ').map((name) => [name, null]))
}

function goneOf(request: Request, response: Response): AbortSignal {
  const controller = new AbortController()
  const close = () => {
    if (!response.writableEnded) controller.abort(new DOMException('the POS hung up', 'AbortError'))
  }
  response.once('close', close)
  if (request.socket.destroyed) close()
  return controller.signal
}

export type Template<Found> = (found: Found) => unknown

/** JSONata's message quotes data, so it is not passed on. */
class TemplateError extends Error {
  override name = 'TemplateError'
}

export function createTemplate<Found>(text: string, key: string, name: string): Template<Found> {
  const fault = syntaxFault(text) ?? missingFunction(text, name)
  if (fault) throw unreadable(key, fault)
  return (found) => {
    const result = evaluate(text, { [name]: found })
    if ('fault' in result) throw failed(key, result.fault)
    return result.value ?? null
  }
}

/** JSONata turns a list of one into that one: a template that makes a list of `samples` always makes one. */
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

function missingFunction(text: string, name: string): ExpressionFault | null {
  const tried = evaluate(text, { [name]: null })
  return 'fault' in tried && isNoFunction(tried.fault) ? tried.fault : null
}

function unreadable(key: string, { code, message, position }: ExpressionFault): ConfigIssueError {
  return new ConfigIssueError([
    { path: key.split('.'), expected: `JSONata${locationOf(position)} (${code}: ${message})` },
  ])
}

function failed(key: string, { code, position }: ExpressionFault): TemplateError {
  return new TemplateError(`${key} failed: ${code}${locationOf(position)}`)
}

function locationOf(position: number | null): string {
  return position === null ? '' : ` at character ${position}`
}
