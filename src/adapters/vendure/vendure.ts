import { PermanentError } from '../../domain/values/errors.ts'
import type { Attempt, Effect, Examined } from '../../ports/attempt.ts'
import type { CustomersPort } from '../../ports/customers.ts'
import type { OrderNumber, OrdersCall, OrdersPort } from '../../ports/orders.ts'
import type { Call } from '../../ports/ports.ts'
import type { StockPort } from '../../ports/stock.ts'
import { defineAdapter } from '../adapter.ts'
import { clockFound, troubleFound } from '../shared/examine.ts'
import { createLookPlaces } from '../shared/look-places.ts'
import { createVendureApi } from './api.ts'
import { createIntake } from './intake.ts'
import { createOperations } from './operations.ts'
import { VendureOptions } from './options.ts'
import { createDraftOrder, createOrder, findCreated, findDraft } from './orders/create.ts'
import { CLOCKS, orderOf, tally } from './orders/find-order.ts'
import {
  declineGoods,
  expireOrder,
  fulfilmentOf,
  isDelivered,
  markCollected,
  shipParcel,
  tellReady,
  wasCancelled,
  wasTold,
} from './orders/fulfil.ts'
import { noteRefund, refundGoods, refundsOf } from './orders/refunds.ts'
import { hasMarkedNote, type ShopOrder } from './orders/shop-order.ts'
import { eraseCustomer, searchCustomers, upsertCustomer } from './people/customers.ts'
import { searchOrders } from './people/search.ts'
import { createAmounts, type Shop } from './shop.ts'
import { readLevels, setLevels } from './stock.ts'

/** The rights of the role, for orders; a test with a real server has these and no others (docs/adapters/vendure.md). */
const RIGHTS = 'ReadOrder CreateOrder UpdateOrder DeleteOrder ReadPaymentMethod ReadCatalog ReadCustomer'.split(' ')

/** For stock and for customers, which not every shop is told; a customer who is forgotten is deleted. */
const MORE = ['UpdateCatalog', 'CreateCustomer', 'UpdateCustomer', 'DeleteCustomer']

/** Looks at a shop: nothing in it is changed. Throws as a call does where it gets no further. */
export async function examineShop(shop: Shop, signal: AbortSignal): Promise<Examined[]> {
  const { api, operations } = shop
  const { value: channel, headers } = await api.runWhole(operations.channel, {}, signal).catch(whoAsks)
  return [
    { what: 'connection', state: 'ok', says: 'Its Admin API answers.' },
    { what: 'credentials', state: 'ok', says: 'It knows who we are.' },
    { what: 'channel', state: 'ok', says: `What is asked is about the channel ${channel.code}.` },
    await lookAtRights(shop, channel, signal),
    await lookAtFields(shop, signal),
    ...clockFound(headers.date, Date.now(), CLOCKS),
  ]
}

/** The question wants no right but to be somebody: an asker who is forbidden that is not known. */
function whoAsks(error: unknown): never {
  if (!(error instanceof PermanentError && error.code === 'vendure-forbidden')) throw error
  throw new PermanentError(error.message, { code: 'vendure-unauthorized', cause: error })
}

async function lookAtRights(
  { api, operations, options }: Shop,
  { id, code }: { id: string; code: string },
  signal: AbortSignal,
): Promise<Examined> {
  if (options.apiKey !== undefined) return NOT_TOLD
  const me = await api.run(operations.me, {}, signal)
  return judgeRights(me?.channels.find((one) => one.id === id)?.permissions ?? [], code)
}

/** Vendure tells only administrators who they are. */
const NOT_TOLD: Examined = {
  what: 'rights',
  state: 'note',
  says: 'Vendure does not tell an API key its rights: whether it may write shows with the first call.',
}

function judgeRights(granted: readonly string[], channel: string): Examined {
  const lacking = [...RIGHTS, ...MORE].filter((right) => !granted.includes(right) && !granted.includes('SuperAdmin'))
  if (lacking.length === 0) return { what: 'rights', state: 'ok', says: 'Our role has every right that is needed.' }
  const says = `In the channel ${channel}, our role lacks ${lacking.join(', ')}.`
  if (lacking.some((right) => RIGHTS.includes(right)))
    return { what: 'rights', state: 'problem', says, todo: 'give the role what it lacks, under Settings → Roles.' }
  const todo = 'give it to the role, under Settings → Roles, unless this shop is told no stock, or no customers.'
  return { what: 'rights', state: 'note', says, todo }
}

/** With which a server refuses a document; most do by the status already. */
const MISFITS = ['http-400', 'vendure-graphql-validation-failed']

/** Whether it has the fields that the adapter asks for, those of config too: servers refuse documents with any other. */
async function lookAtFields({ api, operations, options }: Shop, signal: AbortSignal): Promise<Examined> {
  try {
    await api.run(operations.variants, { options: { take: 1 } }, signal)
    await api.run(operations.orders, { options: { take: 1 }, history: { take: 1 } }, signal)
    return { what: 'version', state: 'ok', says: 'Its API has every field that is asked for.' }
  } catch (error) {
    if (!(error instanceof PermanentError)) throw error
    if (!MISFITS.includes(error.code)) return troubleFound(error)
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

/**
 * The effect of an earlier, uncertain attempt, made whole where it broke off: each step goes on where the order stands. Null
 * where the order bears no trace of it: whether it is made then is not decided here, as it may be overtaken.
 */
export async function findEffect(shop: Shop, attempt: Attempt, call: OrdersCall): Promise<Effect | null> {
  const { key } = attempt
  switch (call.method) {
    case 'create':
      return await findCreated(shop, call.argument, attempt)
    case 'draft':
      return await findDraft(shop, call.argument, attempt)
    case 'ready':
      return (await bears(call.argument, (order) => wasTold(shop, order)))
        ? await tellReady(shop, call.argument, attempt)
        : null
    case 'collected':
      return (await bears(call.argument, isDelivered)) ? await markCollected(shop, call.argument, attempt) : null
    case 'decline':
      return (await bears(call.argument.order, (order) => wasCancelled(order, key)))
        ? await declineGoods(shop, call.argument, attempt)
        : null
    case 'expire':
      return (await bears(call.argument, (order) => wasCancelled(order, key)))
        ? await expireOrder(shop, call.argument, attempt)
        : null
    case 'ship':
      return (await bears(call.argument.order, (order) => fulfilmentOf(order, call.argument.parcel) !== undefined))
        ? await shipParcel(shop, call.argument, attempt)
        : null
    case 'refund':
      return (await bears(call.argument.refund, isRefunded)) ? await refundGoods(shop, call.argument, attempt) : null
    case 'noteRefund':
      return (await bears(call.argument.refund, (order) => hasMarkedNote(order, key) || isRefunded(order)))
        ? await noteRefund(shop, call.argument, attempt)
        : null
  }

  async function bears(about: OrderNumber, trace: (order: ShopOrder) => boolean): Promise<boolean> {
    return trace(await orderOf(shop, about, attempt))
  }

  function isRefunded(order: ShopOrder): boolean {
    return refundsOf(order, key).length > 0
  }
}

/**
 * A Vendure shop, by its Admin API (GraphQL). It has no idempotency key: an order carries our key in a note, what is given
 * back and cancelled in its reason, and every step looks at the order before it acts.
 */
export default defineAdapter({
  name: 'vendure',
  options: VendureOptions,
  create(options, context) {
    const api = createVendureApi(options, context)
    const shop: Shop = {
      api,
      operations: createOperations(options),
      options,
      amounts: createAmounts(options.moneyDecimals),
      known: new Set(),
      looks: createLookPlaces<number>(),
    }
    const orders: OrdersPort = {
      create: (order, attempt) => createOrder(shop, order, attempt),
      draft: (basket, attempt) => createDraftOrder(shop, basket, attempt),
      ready: (order, attempt) => tellReady(shop, order, attempt),
      collected: (order, attempt) => markCollected(shop, order, attempt),
      decline: (declined, attempt) => declineGoods(shop, declined, attempt),
      expire: (order, attempt) => expireOrder(shop, order, attempt),
      ship: (parcel, attempt) => shipParcel(shop, parcel, attempt),
      refund: (returned, attempt) => refundGoods(shop, returned, attempt),
      noteRefund: (returned, attempt) => noteRefund(shop, returned, attempt),
      search: (number, question) => searchOrders(shop, number, question),
      tally: (given, question) => tally(shop, given, question),
      find: (attempt, call) => find(shop, attempt, call),
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
      examine: ({ signal }) => examineShop(shop, signal),
      [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
    }
  },
})

async function find(shop: Shop, attempt: Attempt, call: Call): Promise<Effect | null> {
  if (call.port === 'orders') return await findEffect(shop, attempt, call)
  throw new PermanentError(`${shop.api.destination}: ${call.port}.${call.method} cannot be looked for`, {
    code: 'cannot-find',
  })
}
