import { z } from 'zod'
import type { Tallied } from '../../../domain/ledger/destination/tallied.ts'
import type { TillOrder } from '../../../domain/orders/order.ts'
import { idOfTillOrder } from '../../../domain/orders/order-link.ts'
import type { OrderUpdate } from '../../../domain/orders/order-update.ts'
import { isNotThere, PermanentError } from '../../../domain/values/errors.ts'
import { money } from '../../../domain/values/money.ts'
import type { Attempt, Effect, FoundEffect, Question } from '../../../ports/attempt.ts'
import type { OrderNumber, OrdersPort } from '../../../ports/orders.ts'
import type { Call } from '../../../ports/ports.ts'
import type { GivenOrder } from '../../../ports/tally.ts'
import { idsOf, type OrderThere, talliedOrder } from '../../shared/tally-orders.ts'
import type { ShopApi } from '../api.ts'
import { amount, optional, readable } from '../document.ts'
import { tell } from '../notes.ts'
import { awaitsPayment, isOff, META, metaOf, ShopOrder, type ShopRefund } from '../people/shop-order.ts'
import { refundsOf, refundsWith } from '../refunds/refunds.ts'
import { returnGoods } from '../refunds/returned.ts'
import { ship } from '../refunds/ship.ts'
import { uncertainIfRefused } from '../refunds/uncertain.ts'
import { wasPaid } from '../refunds/was-paid.ts'
import { findProducts } from '../stock/products.ts'
import { isAgain } from './again.ts'
import { complete, correct } from './complete.ts'
import { decline } from './decline.ts'
import { expire } from './expire.ts'
import { findOrder, findOrders } from './find-order.ts'
import { locateOrder } from './locate-order.ts'
import { newDraft, newOrder } from './new-order.ts'
import { changeOrder, type OrderContext } from './order-context.ts'
import { noteOfEnd } from './order-off.ts'

/** The most that WooCommerce gives at once. */
const PAGE = 100

/** No more of an order than is asked here: what a plugin has changed of one keeps nothing from being said of the others. */
const Listed = ShopOrder.pick({ id: true, status: true, currency: true, meta_data: true }).extend({
  total: optional(amount),
  refunds: readable(z.unknown()),
})

const FIELDS = 'id,status,currency,total,refunds,meta_data'

/**
 * Orders of a WooCommerce shop. The shop has no idempotency key and no filter by meta data: each effect leaves a mark in
 * meta data, or in the reason of a refund, and is looked for by it.
 */
export function createWooOrders(context: OrderContext): Required<Omit<OrdersPort, 'search'>> {
  return {
    create: (order, attempt) => create(context, order, attempt),
    draft: (basket, attempt) => draft(context, basket, attempt),
    ready: async (order, attempt) => made(await ready(context, order, attempt)),
    collected: async (order, attempt) => made(await collected(context, order, attempt)),
    decline: async (declined, attempt) => made(await decline(context, declined, attempt)),
    expire: async (order, attempt) => made(await expire(context, order, attempt)),
    ship: async (parcel, attempt) => made(await ship(context, parcel, attempt)),
    refund: async (returned, attempt) => made(await returnGoods(context, returned, attempt, { payBack: true })),
    noteRefund: async (returned, attempt) => made(await returnGoods(context, returned, attempt, { payBack: false })),
    tally: (given, question) => tally(context.api, given, question),
    find: (attempt, call) => find(context, attempt, call),
    findAll: (attempt, call) => findAll(context, attempt, call),
  }
}

/** Orders, and refunds, that bear the key: what must not be there twice. */
async function findAll(context: OrderContext, attempt: Attempt, call: Call): Promise<FoundEffect[] | null> {
  if (call.port !== 'orders') return null
  switch (call.method) {
    case 'create': {
      const of = { kind: 'order', id: idOfTillOrder(call.argument) }
      return (await findOrders(context.api, attempt)).map((id) => ({ theirId: String(id), of }))
    }
    case 'draft':
      return (await findOrders(context.api, attempt)).map((id) => ({ theirId: String(id) }))
    case 'refund':
    case 'noteRefund': {
      const { refund, line } = call.argument
      const of = { kind: 'refund', id: `${refund.refundId}/${line.key}` }
      return (await refundsFor(refund)).map(({ id }) => ({ theirId: String(id), of }))
    }
    case 'decline':
      return (await refundsFor(call.argument.order)).map(({ id }) => ({ theirId: String(id) }))
    case 'expire':
      return (await refundsFor(call.argument)).map(({ id }) => ({ theirId: String(id) }))
    default:
      return null
  }

  async function refundsFor(named: OrderNumber): Promise<ShopRefund[]> {
    const order = await locateOrder(context, named, attempt)
    return refundsWith(attempt.key, await refundsOf(context, order, attempt.signal))
  }
}

async function find(context: OrderContext, attempt: Attempt, call: Call): Promise<Effect | null> {
  if (call.port !== 'orders')
    throw new PermanentError(`${context.destination}: ${call.port} are not looked for among orders`, {
      code: 'cannot-find',
    })
  switch (call.method) {
    case 'create':
      return await findCreated(context, attempt)
    case 'draft':
      return await findDraft(context, attempt)
    case 'ready':
      return await ready(context, call.argument, attempt, true)
    case 'collected':
      return await collected(context, call.argument, attempt, true)
    case 'decline':
      return await decline(context, call.argument, attempt, true)
    case 'expire':
      return await expire(context, call.argument, attempt, true)
    case 'ship':
      return await ship(context, call.argument, attempt, true)
    case 'refund':
      return await returnGoods(context, call.argument, attempt, { payBack: true, find: true })
    case 'noteRefund':
      return await returnGoods(context, call.argument, attempt, { payBack: false, find: true })
  }
}

/** Only `find` may come back with nothing. */
function made(effect: Effect | null): Effect {
  if (effect) return effect
  throw new TypeError('an effect that was carried out gave nothing')
}

/** The customer has it. With the status, payment plugins capture what they reserved, and cash counts as paid. */
async function collected(
  context: OrderContext,
  update: OrderUpdate,
  attempt: Attempt,
  find = false,
): Promise<Effect | null> {
  const order = await locateOrder(context, update, attempt)
  const { number, status } = order
  const ours = metaOf(order, META.collected) === attempt.key
  if (ours) return { note: `order ${number}, ${status}` }
  if (find) return null
  const { collected: target } = context.options.statuses
  if (status === target) return { note: `order ${number} is ${status} already` }
  const end = await noteOfEnd(context, order, 'the customer has fetched it', attempt.signal)
  if (end !== null) return { note: end }
  const marks = wasPaid(context, order) ? [META.collected] : [META.collected, META.paidWhenCollected]
  const changes = { status: target, meta_data: marks.map((key) => ({ key, value: attempt.key })) }
  const changed = await changeOrder(context, order, changes, attempt.signal)
  return { note: `order ${number}, ${changed.status}` }
}

/**
 * The goods lie ready: the customer is told first, and the order says last that all is done. `find`: only what an earlier try
 * left, else null.
 */
async function ready(
  context: OrderContext,
  update: OrderUpdate,
  attempt: Attempt,
  find = false,
): Promise<Effect | null> {
  const { statuses, tellCustomer } = context.options
  const order = await locateOrder(context, update, attempt)
  if (metaOf(order, META.ready) === attempt.key) return effectOf(order)
  if (find) return null
  if (order.status === statuses.collected) return { note: `order ${order.number} is ${order.status} already` }
  const end = await noteOfEnd(context, order, 'it lies ready in a store', attempt.signal)
  if (end !== null) return { note: end }
  await tell(context, order, 'ready', { number: order.number, store: update.stockName }, attempt)
  const changes = { status: statuses.ready, meta_data: [{ key: META.ready, value: attempt.key }] }
  return effectOf(await changeOrder(context, order, changes, attempt.signal))

  function effectOf({ number, status }: ShopOrder): Effect {
    return { note: `order ${number}, ${status}, customer ${tellCustomer.includes('ready') ? 'told' : 'not told'}` }
  }
}

/** A paid order of the till. A try that failed in the middle has left its order behind. */
async function create(context: OrderContext, order: TillOrder, attempt: Attempt): Promise<Effect> {
  const found = isAgain(attempt) ? await findCreated(context, attempt) : null
  if (found) return found
  const created = await place(context, order, attempt, newOrder)
  return await complete(context.api, created, { signal: attempt.signal, destination: context.destination })
}

async function findCreated(context: OrderContext, attempt: Attempt): Promise<Effect | null> {
  const found = await findOrder(context, attempt)
  return found && (await complete(context.api, found, { signal: attempt.signal, destination: context.destination }))
}

/** A basket for the customer to pay online: an order that waits for its payment. */
async function draft(context: OrderContext, basket: TillOrder, attempt: Attempt): Promise<Effect> {
  const found = isAgain(attempt) ? await findDraft(context, attempt) : null
  return found ?? (await offer(context, await place(context, basket, attempt, newDraft), attempt))
}

async function findDraft(context: OrderContext, attempt: Attempt): Promise<Effect | null> {
  const found = await findOrder(context, attempt)
  return found && (await offer(context, found, attempt))
}

async function offer(context: OrderContext, order: ShopOrder, attempt: Attempt): Promise<Effect> {
  const number = metaOf(order, META.order) ?? order.number
  const links = [{ kind: 'draft', id: number, theirId: String(order.id) }]
  if (!awaitsPayment(order)) return { links, note: `order ${order.number}, left as it is: ${order.status}` }
  const right = await correct(context.api, order, attempt.signal)
  const link = right.payment_url ?? ''
  await tell(context, right, 'draft', { number: right.number, link }, attempt)
  const where = link ? `to be paid at ${link}` : 'to be paid'
  return { links, note: `order ${right.number}, ${right.total} ${right.currency}, ${where}` }
}

async function place(
  { api }: OrderContext,
  order: TillOrder,
  { key, signal }: Attempt,
  wire: typeof newOrder,
): Promise<ShopOrder> {
  const products = await findProducts(api, order.lines, signal)
  return await api.write('POST', '/orders', wire(order, products, key), ShopOrder, signal).catch(uncertainIfRefused)
}

/**
 * Orders by their ids, a hundred a request (`include`, WooCommerce REST API v3, "List all orders"). The list leaves out the trash, and
 * statuses of plugins that hide: what it does not show is asked for by its id alone.
 */
async function tally(
  api: Pick<ShopApi, 'get'>,
  given: readonly GivenOrder[],
  { signal }: Question,
): Promise<Tallied[]> {
  const orders = new Map<string, OrderThere>()
  const ids = idsOf(given).filter((id) => /^[1-9]\d{0,14}$/.test(id))
  for (let start = 0; start < ids.length; start += PAGE) {
    const some = ids.slice(start, start + PAGE)
    const query = { include: some.join(','), status: 'any', per_page: String(PAGE), _fields: FIELDS }
    const { value } = await api.get('/orders', query, z.array(Listed), signal)
    for (const order of value) orders.set(String(order.id), orderThere(order))
    for (const id of some.filter((one) => !orders.has(one))) {
      const order = await byId(api, id, signal)
      if (order) orders.set(id, orderThere(order))
    }
  }
  return given.map((one) => talliedOrder(one, orders))
}

async function byId(api: Pick<ShopApi, 'get'>, id: string, signal: AbortSignal) {
  try {
    return (await api.get(`/orders/${id}`, {}, Listed, signal)).value
  } catch (error) {
    if (isNotThere(error)) return null
    throw error
  }
}

/** Where money was given back, or the order is off, the total is not what the till took any more. */
function orderThere(order: z.output<typeof Listed>): OrderThere {
  const { status, refunds, total, currency } = order
  const isChanged = refunds.length > 0 || isOff(order)
  const amount = isChanged || total === null ? null : money(total, currency)
  const key = metaOf(order, META.key)
  return { key, gone: status === 'trash' ? 'in the trash' : null, amount }
}
