import {
  CLOCKS,
  type CustomersPort,
  clockFound,
  defineAdapter,
  failureFound,
  type HealthFinding,
  type OrdersPort,
  ordersBySteps,
  PermanentError,
  type StockPort,
} from 'tillbridge/adapter'
import { createVendureApi } from './api.ts'
import { eraseCustomer, searchCustomers, upsertCustomer } from './customers.ts'
import { createOperations } from './operations.ts'
import { VendureOptions } from './options.ts'
import { createDraftOrder, createOrder } from './orders/create.ts'
import {
  countRefunds,
  declineGoods,
  expireOrder,
  markCollected,
  noteRefund,
  refundGoods,
  shipParcel,
  tellReady,
} from './orders/fulfilment.ts'
import { createIntake, createVendureKeySearch, reconcile, searchOrders } from './orders/read-orders.ts'
import { createAmounts, type Shop } from './shop.ts'
import { readLevels, setLevels } from './stock.ts'

/** For orders. */
const RIGHTS = 'ReadOrder CreateOrder UpdateOrder DeleteOrder ReadPaymentMethod ReadCatalog ReadCustomer'.split(' ')

/** For stock and customers. */
const MORE = ['UpdateCatalog', 'CreateCustomer', 'UpdateCustomer', 'DeleteCustomer']

async function checkShop(shop: Shop, signal: AbortSignal): Promise<HealthFinding[]> {
  const { api, operations } = shop
  const { value: channel, headers } = await api.runWithHeaders(operations.channel, signal).catch(whoAsks)
  return [
    { what: 'connection', state: 'ok', says: 'Its Admin API answers.' },
    { what: 'credentials', state: 'ok', says: 'It knows who we are.' },
    { what: 'channel', state: 'ok', says: `What is asked is about the channel ${channel.code}.` },
    await lookAtRights(shop, channel, signal),
    await lookAtFields(shop, signal),
    ...clockFound(headers.date, Date.now(), CLOCKS),
  ]
}

function whoAsks(error: unknown): never {
  if (!(error instanceof PermanentError && error.code === 'vendure-forbidden')) throw error
  throw new PermanentError(error.message, { code: 'vendure-unauthorized', cause: error })
}

async function lookAtRights(
  { api, operations, options }: Shop,
  { id, code }: { id: string; code: string },
  signal: AbortSignal,
): Promise<HealthFinding> {
  if (options.apiKey !== undefined) return NOT_TOLD
  const me = await api.run(operations.me, {}, signal)
  return judgeRights(me?.channels.find((one) => one.id === id)?.permissions ?? [], code)
}

const NOT_TOLD: HealthFinding = {
  what: 'rights',
  state: 'note',
  says: 'Vendure does not tell an API key its rights: whether it may write shows with the first call.',
}

function judgeRights(granted: readonly string[], channel: string): HealthFinding {
  const lacking = [...RIGHTS, ...MORE].filter((right) => !granted.includes(right) && !granted.includes('SuperAdmin'))
  if (lacking.length === 0) return { what: 'rights', state: 'ok', says: 'Our role has every right that is needed.' }
  const says = `In the channel ${channel}, our role lacks ${lacking.join(', ')}.`
  if (lacking.some((right) => RIGHTS.includes(right)))
    return { what: 'rights', state: 'problem', says, todo: 'give the role what it lacks, under Settings → Roles.' }
  const todo = 'give it to the role, under Settings → Roles, unless this shop is told no stock, or no customers.'
  return { what: 'rights', state: 'note', says, todo }
}

const CONFIG_ISSUES = ['http-400', 'vendure-graphql-validation-failed']

async function lookAtFields({ api, operations, options }: Shop, signal: AbortSignal): Promise<HealthFinding> {
  try {
    await api.run(operations.variants, { options: { take: 1 } }, signal)
    await api.run(operations.orders, { options: { take: 1 }, history: { take: 1 } }, signal)
    return { what: 'version', state: 'ok', says: 'Its API has every field that is asked for.' }
  } catch (error) {
    if (!(error instanceof PermanentError)) throw error
    if (!CONFIG_ISSUES.includes(error.code)) return failureFound(error)
    const { gtinField, numberField, pickup } = options
    const own = [gtinField, numberField, pickup?.placeField].filter((name) => name !== undefined)
    const asked = own.length > 0 ? `a custom field of config (${own.join(', ')}) is not there, or it is` : 'it is'
    return {
      what: 'version',
      state: 'problem',
      says: `Its API lacks a field that is asked for: ${asked} another version than 3.7.`,
      todo: "compare gtinField, numberField and pickup.placeField with the shop's custom fields.",
    }
  }
}

/** Vendure has no idempotency keys: ours is in a note, or in the reason of a refund or cancellation, and every step reads the order first. */
export default defineAdapter({
  name: 'vendure',
  options: VendureOptions,
  create(options, context) {
    const api = createVendureApi(options, context)
    const operations = createOperations(options)
    const shop: Shop = {
      ...{ api, operations, options },
      amounts: createAmounts(options.moneyDecimals),
      known: new Set(),
      search: createVendureKeySearch({ api, operations }),
    }
    const orders: OrdersPort = {
      ...ordersBySteps(shop, {
        create: createOrder,
        draft: createDraftOrder,
        ready: tellReady,
        collected: markCollected,
        decline: declineGoods,
        expire: expireOrder,
        ship: shipParcel,
        refund: refundGoods,
        noteRefund,
      }),
      search: (number, question) => searchOrders(shop, number, question),
      reconcile: (given, question) => reconcile(shop, given, question),
      countRefunds: (call, attempt) => countRefunds(shop, call, attempt),
    }
    const customers: CustomersPort = {
      upsert: (customer, attempt) => upsertCustomer(shop, customer, attempt),
      erase: (who, { signal }) => eraseCustomer(shop, who, signal),
      search: (query, { signal }) => searchCustomers(shop, query, signal),
    }
    const stock: StockPort = {
      setLevels: (batch) => setLevels(shop, batch),
      readLevels: (location, page, question) => readLevels(shop, location, page, question),
    }
    return {
      ports: { orders, customers, stock },
      intake: createIntake(shop),
      healthCheck: ({ signal }) => checkShop(shop, signal),
      [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
    }
  },
})
