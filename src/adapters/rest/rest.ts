import { z } from 'zod'
import { field } from '../../domain/values/field.ts'
import { digestOf } from '../../domain/values/text.ts'
import type { HealthFinding } from '../../ports/attempt.ts'
import type { Intake, IntakeItem } from '../../ports/intake.ts'
import { defineAdapter } from '../adapter.ts'
import { reached, statusLine } from '../shared/http-errors.ts'
import { type Api, ask, createApi } from './api.ts'
import { createBackOffice } from './effects.ts'
import {
  at,
  badAnswer,
  buildRequest,
  holds,
  idOf,
  listOf,
  mapped,
  Needed,
  Optional,
  type PollTemplate,
  parseEach,
  placesOf,
} from './mapping.ts'
import { RestOptions } from './options.ts'
import { createCustomers, createOrders } from './orders.ts'
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

export default defineAdapter({
  name: 'rest',
  options: RestOptions,
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

const Resource = z
  .enum([
    'orders',
    'cancellations',
    'sales',
    'customers',
    'products',
    'prices',
    'cost-prices',
    'stock-adjustments',
    'goods-deliveries',
  ])
  .default('orders')

const Item = z.object({
  resource: Resource,
  key: Needed,
  theirId: Optional,
  place: Optional,
  value: z.record(z.string(), z.unknown()),
})

function createPoll(api: Api, template: PollTemplate, destination: string): Intake {
  const where = `${destination}: poll`
  return {
    poll: (cursor, { signal }) =>
      mapped(where, async () => {
        const input = { cursor: cursor ?? template.first ?? null }
        const over = await ask(api, { where, template, input, signal })
        const listed = at('items', () => listOf(template.items, over))
        const items = parseEach(`${where}.items`, listed, Item).map((entry): IntakeItem => {
          if ('value' in entry) return entry.value
          return unreadable(entry.unreadable, badAnswer(`${where}.items`, placesOf(entry.error)).message)
        })
        const next = at('cursor', () => idOf(template.cursor, over)) ?? input.cursor ?? ''
        const { more } = template
        const isMore = more !== undefined && at('more', () => holds(more, over))
        // Without another cursor the same page would come for ever.
        return { items, cursor: next, more: isMore && next !== input.cursor }
      }),
  }
}

function unreadable(item: unknown, why: string): IntakeItem {
  const textAt = (name: string) => Optional.safeParse(field(item, name)).data ?? null
  const key = `${textAt('key') ?? digestOf(item)}/unreadable`
  const value = { key: textAt('key'), theirId: textAt('theirId') }
  const resource = Resource.safeParse(field(item, 'resource')).data ?? 'orders'
  return { resource, key, theirId: textAt('theirId'), place: null, value, faults: [why] }
}
