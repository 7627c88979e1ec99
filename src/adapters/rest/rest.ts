import { PermanentError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { Examined } from '../../ports/attempt.ts'
import { defineAdapter } from '../adapter.ts'
import { isRefusal } from '../shared/examine.ts'
import { reached, statusLine } from '../shared/http-errors.ts'
import { type Api, createApi } from './api.ts'
import { createBackOffice } from './back-office.ts'
import { checkMappings } from './mapping/check.ts'
import { sampleOf } from './mapping/samples.ts'
import { MappingError, type RequestTemplate } from './mapping/template.ts'
import { createCustomers, createOrders } from './orders.ts'
import { createPoll } from './poll.ts'
import { type BuiltRequest, buildRequest } from './request.ts'
import { type RestOptions, RestSchema } from './schema.ts'
import { createStock } from './stock.ts'

interface SafeQuestion {
  where: string
  request: BuiltRequest
  statuses: RequestTemplate['statuses']
}

type Candidate = [where: string, template: RequestTemplate, input: object]

/**
 * A question that changes nothing in a system: the one that config names for it, else one of its reads, filled with a
 * sample that nobody has. Null: it has none.
 */
function safeQuestion(options: RestOptions): SafeQuestion | null {
  for (const [where, template, input] of candidates(options)) {
    const request = built(template, input)
    // A 404 is an answer as well: the sample that is asked for need not be there.
    if (request) return { where, request, statuses: { 404: 'done', ...template.statuses } }
  }
  return null
}

function* candidates({ examine, stock, orders, customers, backOffice }: RestOptions): Generator<Candidate> {
  if (examine) yield ['examine', examine, {}]
  if (orders?.search) yield ['orders.search', orders.search, sampleOf('orders', 'search', 1)]
  const { byEmail, byPhone } = customers ?? {}
  if (byEmail) yield ['customers.byEmail', byEmail, sampleOf('customers', 'byEmail', 1)]
  if (byPhone) yield ['customers.byPhone', byPhone, sampleOf('customers', 'byPhone', 1)]
  const { search: _, ...ofOrders } = orders ?? {}
  const effects = {
    orders: ofOrders,
    customers: { upsert: customers?.upsert, noteConsent: customers?.noteConsent },
    backOffice: backOffice ?? {},
  }
  for (const [section, methods] of Object.entries(effects))
    for (const [method, written] of Object.entries(methods))
      for (const { find } of [written ?? []].flat())
        if (find) yield [`${section}.${method}.find`, find, sampleOf(section, method, 1)]
  const levels = stock?.readLevels
  if (levels) yield ['stock.readLevels', levels, { location: 'oslo', ...('first' in levels && { page: levels.first }) }]
}

/** Null: the sample does not suit it. */
function built(template: RequestTemplate, input: object): BuiltRequest | null {
  try {
    return buildRequest(template, input)
  } catch (error) {
    if (error instanceof MappingError) return null
    throw error
  }
}

const KEEP = 64 * 1024

/** Looks at a system: nothing in it is changed. Throws as a call does where it gets no further. */
export async function examineSystem(api: Api, options: RestOptions, signal: AbortSignal): Promise<Examined[]> {
  const question = safeQuestion(options)
  if (question) return await ask(api, question, signal)
  const answer = await api.reach(signal)
  return [reached(answer), options.auth?.oauth ? TOKEN_GIVEN : UNASKED]
}

async function ask(api: Api, { where, request, statuses }: SafeQuestion, signal: AbortSignal): Promise<Examined[]> {
  const line = `${request.method} ${request.shown} (${where} in config)`
  try {
    const { status } = await api.send(request, { signal, statuses, keep: KEEP })
    const says = `${line} was answered ${statusLine(status)}, so that it takes what we say we are.`
    return [ANSWERS, { what: 'credentials', state: 'ok', says }]
  } catch (error) {
    // A page says nothing of a system. A refusal of a sample does: it is there, and reads what it is asked.
    const isOfSample = error instanceof PermanentError && /^http-4/.test(error.code) && !isRefusal(error)
    if (!isOfSample && !(error instanceof UnknownOutcomeError && error.code.startsWith('http-'))) throw error
    const says = `${line} was refused, perhaps for its sample (${error.code}): whether it knows us cannot be told.`
    return [ANSWERS, { what: 'credentials', state: 'unknown', says, todo: NAME_ONE }]
  }
}

const ANSWERS: Examined = { what: 'connection', state: 'ok', says: 'It answers.' }

const NAME_ONE = 'name a request that only reads, under `examine` of this destination (docs/adapters/rest.md).'

const TOKEN_GIVEN: Examined = {
  what: 'credentials',
  state: 'ok',
  says: 'It gave us a token. What that may do shows with the first call.',
}

const UNASKED: Examined = {
  what: 'credentials',
  state: 'unknown',
  says: 'Nothing in config can be asked of it without changing something: whether it knows us shows with the first call.',
  todo: NAME_ONE,
}

export const Options = RestSchema.superRefine((options, context) => {
  for (const { path, message } of checkMappings(options)) context.addIssue({ code: 'custom', path, message })
})

/** Any system with an API over HTTP: each method of a port is a request that config describes, mapped by JSONata. */
export default defineAdapter({
  name: 'rest',
  options: Options,
  create(options, context) {
    const { destination } = context
    const { orders, customers, stock, backOffice, poll } = options
    const api = createApi(options, context)
    return {
      ports: {
        ...(orders && { orders: createOrders(api, orders, destination) }),
        ...(customers && { customers: createCustomers(api, customers, destination) }),
        ...(stock && { stock: createStock(api, stock, destination) }),
        ...(backOffice && { backOffice: createBackOffice(api, backOffice, destination) }),
      },
      ...(poll && { intake: createPoll(api, poll, destination) }),
      examine: ({ signal }) => examineSystem(api, options, signal),
      [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
    }
  },
})
