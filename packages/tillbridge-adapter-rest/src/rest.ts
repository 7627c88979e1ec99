import {
  type Attempt,
  asError,
  type Batch,
  type BatchResult,
  type CustomerRecord,
  type CustomersPort,
  defineAdapter,
  digestOf,
  type Effect,
  type FoundOrder,
  field,
  fields,
  type GivenOrder,
  type HealthFinding,
  type Intake,
  type IntakeItem,
  isItemError,
  type LevelPage,
  type OrdersCall,
  type OrdersPort,
  PermanentError,
  type Question,
  type Reconciled,
  type ReconcileOrders,
  type RefundCall,
  RefusedTogetherError,
  reached,
  type StockLevel,
  type StockPort,
  statusLine,
} from 'tillbridge/adapter'
import { z } from 'zod'
import { type Api, ask, createApi, isFault, type Reading } from './api.ts'
import {
  canBeFound,
  countEffects,
  createBackOffice,
  customerSubject,
  findEffect,
  isLookedFor,
  type Method,
  makeEffect,
  ORDER_EFFECTS,
  orderSubject,
} from './effects.ts'
import {
  Amount,
  at,
  badAnswer,
  buildRequest,
  holds,
  idOf,
  type LevelsTemplate,
  listOf,
  listOfAll,
  mapped,
  Needed,
  Optional,
  type PollTemplate,
  parsed,
  parseEach,
  placesOf,
  resultOf,
  type SearchTemplate,
} from './mapping.ts'
import { RestOptions, type WrittenEffects } from './options.ts'

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
  const [key, theirId] = [textAt(item, 'key'), textAt(item, 'theirId')]
  const resource = Resource.safeParse(field(item, 'resource')).data ?? 'orders'
  const value = { key, theirId }
  return { resource, key: `${key ?? digestOf(item)}/unreadable`, theirId, place: null, value, faults: [why] }
}

const Level = z
  .object({ gtin: Optional, sku: Optional, level: Amount })
  .refine(({ gtin, sku }) => gtin !== null || sku !== null)

/** A missing list is not an empty one: the mapping may be wrong. */
const Said = z.object({
  levels: z
    .unknown()
    .refine((levels) => levels !== undefined && levels !== null)
    .transform((levels): unknown[] => [levels].flat()),
  next: z
    .union([z.string(), z.number()])
    .nullish()
    .transform((next) => (next === undefined || next === '' ? null : next)),
})

/** The page's name is JSON, so that numbers stay numbers. */
function createLevelReader(
  api: Api,
  template: LevelsTemplate,
  destination: string,
): NonNullable<StockPort['readLevels']> {
  const where = `${destination}: stock.readLevels`
  return (location, name, { signal }) =>
    mapped(where, async () => {
      const page: unknown = name === null ? template.first : JSON.parse(name)
      const input = { location, ...(page !== undefined && { page }) }
      const over = await ask(api, { where, template, input, signal })
      const said = at('answer', () => resultOf(template.answer, over))
      return pageOf(where, said, page)
    })
}

function pageOf(where: string, said: unknown, page: unknown): LevelPage {
  const { levels: listed, next } = parsed(`${where}.answer`, said, Said)
  const entries = parseEach(`${where}.answer`, listed, Level, 'levels')
  const levels = entries.flatMap((entry) => ('value' in entry ? entry.value : []))
  const unread = entries.flatMap((entry, index) => ('value' in entry ? [] : levelName(entry.unreadable, index)))
  if (next !== null && next === page)
    throw new PermanentError(`${where}.answer gives as \`next\` the page that was asked for`, { code: 'bad-answer' })
  return { levels, next: next === null ? null : JSON.stringify(next), ...(unread.length > 0 && { unread }) }
}

function levelName(level: unknown, index: number): string {
  return textAt(level, 'sku') ?? textAt(level, 'gtin') ?? `levels.${index}`
}

function textAt(value: unknown, name: string): string | null {
  return Optional.safeParse(field(value, name)).data ?? null
}

function createStock(
  api: Api,
  { setLevels, readLevels }: NonNullable<RestOptions['stock']>,
  destination: string,
): StockPort {
  const { atOnce, ...request } = setLevels
  const written = { ...request, idempotent: true }
  const method = { where: `${destination}: stock.setLevels`, written, once: false }

  async function send(items: Batch<StockLevel>): Promise<BatchResult> {
    const [first] = items
    if (!first) return []
    const levels = items.map(({ argument }) => argument)
    const subject = { input: { stock: levels[0], levels }, known: null, made: null }
    try {
      const effect = await makeEffect(api, method, subject, first.attempt)
      return items.map(() => effect)
    } catch (error) {
      const isOfOne = items.length === 1 || !(error instanceof PermanentError)
      const failure = isOfOne ? asError(error) : RefusedTogetherError.of(error)
      return items.map(() => failure)
    }
  }

  return {
    ...(readLevels && { readLevels: createLevelReader(api, readLevels, destination) }),
    async setLevels(batch) {
      const results: (Effect | Error)[] = []
      for (let start = 0; start < batch.length; start += atOnce) {
        const sent = await send(batch.slice(start, start + atOnce))
        results.push(...sent)
        const fault = sent.find(isFault)
        if (fault) return [...results, ...batch.slice(results.length).map(() => fault)]
      }
      return results
    },
  }
}

/** By the `find` of `create`. */
function tallyOf(api: Api, method: Method | undefined): Partial<ReconcileOrders> {
  if (!method || !isLookedFor(method)) return {}
  const create = method

  async function one({ keys, order, givenAt, links }: GivenOrder, { signal }: Question): Promise<Reconciled> {
    const ours = async (kind: string, ids: string[]) =>
      links.filter((link) => link.kind === kind && ids.includes(link.id))
    const call = orderSubject({ port: 'orders', method: 'create', argument: order })
    try {
      for (const key of keys) {
        const attempt = { key, previous: 'open', firstTriedAt: givenAt, signal, links: ours } as const
        const count = await countEffects(api, create, call, attempt)
        if (count > 0) return { is: 'there', count, amount: null }
      }
      return { is: 'lacking' }
    } catch (error) {
      if (isItemError(error)) return { is: 'unknown', why: error.message }
      throw error
    }
  }

  return {
    async reconcile(given, question) {
      const answers: Reconciled[] = []
      for (const each of given) answers.push(await one(each, question))
      return answers
    },
  }
}

type WrittenOrders = NonNullable<RestOptions['orders']>

function createOrders(api: Api, written: WrittenOrders, destination: string): OrdersPort {
  const methods = new Map<string, Method>()
  for (const name of ORDER_EFFECTS) {
    const effects = written[name]
    if (effects) methods.set(name, { where: `${destination}: orders.${name}`, written: effects, once: true })
  }

  const given = [...methods].map(([name, method]) => [
    name,
    (argument: unknown, attempt: Attempt) =>
      makeEffect(api, method, orderSubject({ port: 'orders', method: name, argument } as OrdersCall), attempt),
  ])
  return {
    ...(Object.fromEntries(given) as Pick<OrdersPort, (typeof ORDER_EFFECTS)[number]>),
    ...searchOf(api, written.search, `${destination}: orders.search`),
    ...([...methods.values()].some(canBeFound) && { find }),
    ...tallyOf(api, methods.get('create')),
    ...([...methods.values()].some(isLookedFor) && { countRefunds }),
  }

  async function countRefunds(call: RefundCall, attempt: Attempt): Promise<number> {
    const method = methods.get(call.method)
    return method && isLookedFor(method) ? await countEffects(api, method, orderSubject(call), attempt) : 0
  }

  async function find(attempt: Attempt, call: { port: string; method: string }): Promise<Effect | null> {
    const method = methods.get(call.method)
    return method ? await findEffect(api, method, orderSubject(call as OrdersCall), attempt) : null
  }
}

function searchOf(api: Api, template: WrittenOrders['search'], where: string): Pick<OrdersPort, 'search'> {
  if (!template) return {}
  return {
    async search(number, { signal, theirIds = [] }) {
      const one = (input: object) => search(api, { where, template, input, signal }, FoundOrders)
      if (theirIds.length === 0) return await one({ number })
      const each = theirIds.map(async (theirId) =>
        (await one({ number, theirId })).map((order) => ({ ...order, theirId })),
      )
      return (await Promise.all(each)).flat()
    },
  }
}

export function createCustomers(
  api: Api,
  { upsert, noteConsent, erase, byEmail, byPhone }: NonNullable<RestOptions['customers']>,
  destination: string,
): CustomersPort {
  const where = `${destination}: customers`
  const method = (name: string, written: WrittenEffects): Method => ({
    where: `${where}.${name}`,
    written,
    once: false,
  })
  return {
    ...(upsert && {
      upsert: (customer, attempt) =>
        makeEffect(api, method('upsert', upsert), customerSubject({ customer }, customer.customerId), attempt),
    }),
    ...(noteConsent && {
      noteConsent: (consent, attempt) =>
        makeEffect(api, method('noteConsent', noteConsent), customerSubject({ consent }, consent.customerId), attempt),
    }),
    ...(erase && {
      async erase(erased, attempt) {
        const notes: string[] = []
        for (const theirId of erased.theirIds.length > 0 ? erased.theirIds : [null]) {
          const subject = customerSubject({ erased, theirId }, null)
          notes.push((await makeEffect(api, method('erase', erase), subject, attempt)).note ?? '')
        }
        return { note: notes.join(', ') }
      },
    }),
    ...((byEmail || byPhone) && {
      async search(query, { signal }) {
        const { name, template, input } =
          query.type === 'email'
            ? { name: 'byEmail', template: byEmail, input: { email: query.email } }
            : {
                name: 'byPhone',
                template: byPhone,
                input: { phones: query.numbers, phone: query.numbers[0], typed: query.typed },
              }
        if (!template) return []
        return await search(api, { where: `${where}.${name}`, template, input, signal }, FoundCustomers)
      },
    }),
  }
}

/** A 404 finds nothing. Throws PermanentError `bad-answer` that names what is missing. */
async function search<T>(api: Api, reading: Reading<SearchTemplate>, schema: z.ZodType<T>): Promise<T[]> {
  const { where, template } = reading
  return await mapped(where, async () => {
    const statuses = { 404: 'done' as const, ...template.statuses }
    const over = await ask(api, { ...reading, template: { ...template, statuses } })
    if (over.status === 404) return []
    const listed = at('answer', () => listOf(template.answer, over))
    return listed.map((one) => parsed(`${where}.answer`, one, schema))
  })
}

const Address = z
  .object(fields('firstName lastName address1 city postalCode country countryCode', Optional))
  .nullable()
  .default(null)

const FoundOrders: z.ZodType<FoundOrder> = z.object({
  number: Needed,
  placedAt: Optional,
  status: Optional,
  currency: Needed.transform((code) => code.toUpperCase()).refine((code) => /^[A-Z]{3}$/.test(code)),
  total: Amount,
  lines: listOfAll(
    z.object({
      rowId: Needed,
      gtin: Optional,
      sku: Optional,
      name: Needed,
      quantity: Amount,
      returned: z.preprocess((value) => value ?? 0, Amount),
      unitPrice: Amount,
      vatRate: Amount.nullable().default(null),
    }),
  ),
  payments: listOfAll(z.object({ type: Needed, amount: Amount, reference: Optional })),
  customer: z.object(fields('email firstName lastName companyName phone', Optional)).nullable().default(null),
  billingAddress: Address,
  shippingAddress: Address,
})

const FoundCustomers: z.ZodType<CustomerRecord> = z.object({
  ...fields('customerId extId firstName lastName companyName phone address postalCode city', Optional),
  email: Optional.transform((email) => email?.toLowerCase() ?? null),
  countryCode: Optional.transform((code) => code?.toUpperCase() ?? null),
})
