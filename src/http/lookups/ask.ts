import { type Request, type RequestHandler, type Response, Router } from 'express'
import { z } from 'zod'
import type { CustomerQuery } from '../../domain/customers/customer-query.ts'
import { type CustomerRecord, extIdOf } from '../../domain/customers/customer-record.ts'
import { idsOfOrder, type Link, sortOfLink } from '../../domain/orders/link.ts'
import type { FoundOrder } from '../../domain/orders/order.ts'
import { type ConfigIssue, ConfigIssueError } from '../../domain/values/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { type ExpressionFault, evaluate, isNoFunction, syntaxFault } from '../../lib/jsonata.ts'
import type { Logger } from '../../lib/logger.ts'
import { orElse } from '../../lib/or-else.ts'
import { createRateLimiter } from '../../lib/rate-limiter.ts'
import { createSemaphore } from '../../lib/semaphore.ts'
import { oneOf } from '../../lib/suggest.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Storage } from '../../storage/storage.ts'
import type { PosPriority } from '../pos-priority.ts'
import { answerProblem, problem, sendProblem } from '../problem.ts'
import { bearerOf, createTokenCheck, createUnauthorizedHandler, markAuthenticated, type Refused } from '../refusals.ts'

/** What both lookups share. */
export interface LookupContext {
  posPriority: Pick<PosPriority, 'during'>
  refused: Refused
  clock: Clock
  logger: Logger
}

/** Characters. */
const LONGEST = 300

const CONTROL = /\p{Cc}/u

/** No answer repeats the question, which is about a person. */
export function createLookupRouter(
  name: 'customers' | 'orders',
  { tokens, perMinute, parameter }: { tokens: readonly string[]; perMinute: number; parameter: string },
  { posPriority, refused, clock }: LookupContext,
  answer: (asked: string, response: Response, gone: AbortSignal) => Promise<void>,
): RequestHandler {
  const checks = tokens.map((token) => createTokenCheck([token]))
  const limiters = tokens.map(() => createRateLimiter({ perSecond: perMinute / 60, burst: perMinute }, clock))
  const refuse = createUnauthorizedHandler(
    `Send Authorization: Bearer … with one of the tokens of lookups.${name}.tokens.`,
    refused,
  )
  const router = Router()
  router.get('/', async (request, response) => {
    const known = checks.map((check) => check(bearerOf(request.headers.authorization)))
    const token = known.indexOf(true)
    if (token === -1) return await refuse(request, response)
    markAuthenticated(request, response, `lookups ${name}`)
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

function goneOf(request: Request, response: Response): AbortSignal {
  const controller = new AbortController()
  const close = () => {
    if (!response.writableEnded) controller.abort(new DOMException('the POS hung up', 'AbortError'))
  }
  response.once('close', close)
  if (request.socket.destroyed) close()
  return controller.signal
}

const MAX_FOUND = 50

const CONCURRENCY = 8
const WAITING = 16

export interface Answers<Found> {
  answered: { source: string; found: Found[] }[]
  missing: string[]
  ms: number
}

/** All sources at once until the deadline (`budget`, ms), or until the POS hangs up. Logs a failed source, never the question. */
export function createAsk<Query, Found>(
  sources: readonly Source<Query, Found>[],
  isFound: (row: unknown) => row is Found,
  budget: number,
  { clock, logger }: Pick<LookupContext, 'clock' | 'logger'>,
): (query: Query, gone: AbortSignal) => Promise<Answers<Found>> {
  const limited = sources.map((source) => ({ ...source, source, limiter: createSemaphore(CONCURRENCY, WAITING) }))

  return async (query, gone) => {
    const begun = performance.now()
    const over = new AbortController()
    const stop = clock.after(budget, () => over.abort(new DOMException('the POS waits no longer', 'TimeoutError')))
    const signal = AbortSignal.any([over.signal, gone])
    const ended = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => ended.resolve(), { once: true })
    const answers = new Map<string, Found[]>()

    async function ask({ name, source, limiter }: (typeof limited)[number]): Promise<void> {
      try {
        const found = await limiter(() => source.search(query, { signal }), signal)
        if (!Array.isArray(found)) throw new TypeError('a search gives a list')
        const rows = found.slice(0, MAX_FOUND)
        if (!rows.every(isFound)) throw new TypeError('a search gives what it says')
        if (!signal.aborted) answers.set(name, rows)
      } catch (error) {
        if (!gone.aborted) logger.warn({ source: name, ms: since(begun), why: codeOf(error) }, 'lookup.source-failed')
      }
    }

    try {
      await Promise.race([Promise.all(limited.map(ask)), ended.promise])
    } finally {
      stop()
    }
    const result = {
      answered: sources.flatMap(({ name }) => {
        const found = answers.get(name)
        return found ? [{ source: name, found }] : []
      }),
      missing: sources.map(({ name }) => name).filter((name) => !answers.has(name)),
      ms: since(begun),
    }
    over.abort()
    return result
  }
}

function since(begun: number): number {
  return Math.round(performance.now() - begun)
}

/** Without its message, which may quote the question. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

export function nameSources(
  response: Response,
  { answered, missing }: Pick<Answers<unknown>, 'answered' | 'missing'>,
): void {
  response.set('Tillbridge-Sources', answered.map(({ source }) => source).join(', '))
  if (missing.length > 0) response.set('Tillbridge-Missing', missing.join(', '))
}

export interface Source<Query, Found> {
  name: string
  search(query: Query, question: { signal: AbortSignal }): Promise<Found[]>
}

/** Throws a ConfigIssueError for unknown names. */
export function chooseSources<S extends { name: string }>(
  there: readonly S[],
  ask: readonly string[] | undefined,
  lookup: 'customers' | 'orders',
): readonly S[] {
  const path = ['lookups', lookup]
  const names = there.map(({ name }) => name)
  if (there.length === 0)
    throw new ConfigIssueError([
      {
        path,
        found: 'a lookup that nobody can answer',
        expected: `a destination that can look for ${lookup}, or no lookups.${lookup}`,
      },
    ])
  if (!ask) return there
  const strange = ask.flatMap((name, index): ConfigIssue[] => {
    const expected = `one that can look for ${lookup}: ${oneOf(name, names)}`
    return names.includes(name) ? [] : [{ path: [...path, 'ask', index], expected }]
  })
  if (strange.length > 0) throw new ConfigIssueError(strange)
  return [...new Set(ask)].flatMap((name) => there.find((one) => one.name === name) ?? [])
}

/** An order feed gives customers the ids that they have there. */
export function customersOf(
  name: string,
  { customers }: Pick<Ports, 'customers'>,
  handsOver: boolean,
): Source<CustomerQuery, CustomerRecord>[] {
  if (!customers?.search) return []
  const search = customers.search.bind(customers)
  if (!handsOver) return [{ name, search }]
  return [
    {
      name,
      async search(query, question) {
        const found = await search(query, question)
        return found.map((one) => (one?.extId ? { ...one, extId: extIdOf(name, one.extId) } : one))
      },
    },
  ]
}

/** Also by the destination's own ids; other spellings only if the given one is unknown. */
export function ordersOf(
  name: string,
  { orders }: Pick<Ports, 'orders'>,
  links: Storage['links'],
): Source<string, FoundOrder>[] {
  if (!orders?.search) return []
  const search = orders.search.bind(orders)
  return [
    {
      name,
      async search(number, { signal }) {
        const spellings = spellingsOf(number)
        const written = [...spellings, ...spellings.map((spelling) => `#${spelling}`)]
        const known = await links(name, 'order', written.flatMap(idsOfOrder))
        for (const spelling of written) {
          const ids = idsOfOrder(spelling)
          const theirs = known.filter(({ id }) => ids.includes(id)).map(({ theirId }) => theirId)
          if (theirs.length === 0) continue
          const found = await search(spelling, { signal, theirIds: [...new Set(theirs)] })
          return found.map((order) => knownAs(order, known))
        }
        for (const spelling of spellings) {
          const found = await search(spelling, { signal })
          if (found.length > 0) return found
        }
        return []
      },
    },
  ]
}

function knownAs(order: FoundOrder, links: readonly Link[]): FoundOrder {
  const ofPos = links.find(({ id, theirId }) => sortOfLink(id) !== 'web' && theirId === order.theirId)
  return ofPos ? { ...order, posId: ofPos.id } : order
}

function spellingsOf(number: string): string[] {
  const bare = number.replace(/^#\s*/, '')
  return [...new Set([number, bare, bare.toUpperCase()])].filter((spelling) => spelling !== '')
}

/* A wrong shape fails its source only. */

const Text = z.string().nullish()
const Thing = z.looseObject({})

const CustomerRow = z.looseObject({
  ...{ customerId: Text, extId: Text, email: Text, firstName: Text, lastName: Text, companyName: Text },
  ...{ phone: Text, address: Text, postalCode: Text, city: Text, countryCode: Text },
})

const OrderRow = z.looseObject({
  ...{ number: z.string(), lines: z.array(Thing), payments: z.array(Thing) },
  customer: z.object({ phone: Text }).nullable(),
  ...{ billingAddress: Thing.nullable(), shippingAddress: Thing.nullable() },
})

export function isCustomer(row: unknown): row is CustomerRecord {
  return CustomerRow.safeParse(row).success
}

export function isOrder(row: unknown): row is FoundOrder {
  return OrderRow.safeParse(row).success
}

type Template<Found> = (found: Found) => unknown

/** JSONata's message quotes data, so it is not passed on. */
class TemplateError extends Error {
  override name = 'TemplateError'
}

export function createTemplate<Found>(text: string, key: string, name: string): Template<Found> {
  const fault = syntaxFault(text) ?? missingFunction(text, name)
  if (fault) {
    const expected = `JSONata${locationOf(fault)} (${fault.code}: ${fault.message})`
    throw new ConfigIssueError([{ path: key.split('.'), expected }])
  }
  return (found) => {
    const result = evaluate(text, { [name]: found })
    if ('fault' in result) throw new TemplateError(`${key} failed: ${result.fault.code}${locationOf(result.fault)}`)
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
  const isList = Array.isArray(orElse(() => make(samples), null))
  return (customers) => {
    const made = make(customers)
    if (!isList || Array.isArray(made)) return made
    return made === null ? [] : [made]
  }
}

function missingFunction(text: string, name: string): ExpressionFault | null {
  const tried = evaluate(text, { [name]: null })
  return 'fault' in tried && isNoFunction(tried.fault) ? tried.fault : null
}

function locationOf({ position }: ExpressionFault): string {
  return position === null ? '' : ` at character ${position}`
}
