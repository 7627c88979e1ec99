import type { HealthFinding } from '../../ports/attempt.ts'
import { defineAdapter } from '../adapter.ts'
import { reached, statusLine } from '../shared/http-errors.ts'
import { type Api, createApi } from './api.ts'
import { createBackOffice } from './back-office.ts'
import { buildRequest } from './mapping.ts'
import { checkMappings, type RestOptions, RestSchema } from './options.ts'
import { createCustomers, createOrders } from './orders.ts'
import { createPoll } from './poll.ts'
import { createStock } from './stock.ts'

const KEEP = 64 * 1024

async function checkSystem(
  api: Api,
  { healthCheck, auth }: RestOptions,
  signal: AbortSignal,
): Promise<HealthFinding[]> {
  if (!healthCheck) return [reached(await api.reach(signal)), auth?.oauth ? TOKEN_GIVEN : UNASKED]
  const request = buildRequest(healthCheck, {})
  const line = `${request.method} ${request.shown} (check in config)`
  // 404 is an answer as well.
  const { status } = await api.send(request, { signal, statuses: { 404: 'done', ...healthCheck.statuses }, keep: KEEP })
  const says = `${line} was answered ${statusLine(status)}, so that it takes what we say we are.`
  return [
    { what: 'connection', state: 'ok', says: 'It answers.' },
    { what: 'credentials', state: 'ok', says },
  ]
}

const TOKEN_GIVEN: HealthFinding = {
  what: 'credentials',
  state: 'ok',
  says: 'It gave us a token. What that may do shows with the first call.',
}

const UNASKED: HealthFinding = {
  what: 'credentials',
  state: 'unknown',
  says: 'Config has no request that only reads: whether it knows us shows with the first call.',
  todo: 'name a request that only reads, under `healthCheck` of this destination (docs/adapters/rest.md).',
}

const Options = RestSchema.superRefine((options, context) => {
  for (const { path, message } of checkMappings(options)) context.addIssue({ code: 'custom', path, message })
})

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
      healthCheck: ({ signal }) => checkSystem(api, options, signal),
      [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
    }
  },
})
