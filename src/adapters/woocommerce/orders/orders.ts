import { z } from 'zod'
import type { Tallied } from '../../../domain/ledger/destination/tallied.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import { money } from '../../../domain/values/money.ts'
import type { Attempt, Effect, Question } from '../../../ports/attempt.ts'
import type { OrdersPort } from '../../../ports/orders.ts'
import type { Call } from '../../../ports/ports.ts'
import type { GivenOrder } from '../../../ports/tally.ts'
import { idsThere, type OrderThere, talliedOrder } from '../../shared/orders-there.ts'
import { PAGE_SIZE, readOne, type ShopApi } from '../api.ts'
import { amount, optional, readable } from '../document.ts'
import { isOff, META, metaOf, ShopOrder } from '../shop-order.ts'
import { create, draft, findCreated, findDraft } from './create.ts'
import { collected, ready, ship } from './fulfilment.ts'
import { findByKeys, type OrderContext } from './order-context.ts'
import { decline, expire, returnGoods } from './reversals.ts'

/** No more of an order than is asked here: what a plugin has changed of one keeps nothing from being said of the others. */
const Listed = ShopOrder.pick({ id: true, status: true, currency: true, meta_data: true }).extend({
  total: optional(amount),
  refunds: readable(z.unknown()),
})

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
  const idsOfEach = await idsThere(given, (keys, since) => findByKeys(api, keys, since, signal))
  const ids = [...new Set(idsOfEach.flat())].filter((id) => /^[1-9]\d{0,14}$/.test(id))
  for (let start = 0; start < ids.length; start += PAGE_SIZE) {
    const some = ids.slice(start, start + PAGE_SIZE)
    const query = { include: some.join(','), status: 'any', per_page: String(PAGE_SIZE), _fields: FIELDS }
    const { value } = await api.get('/orders', query, z.array(Listed), signal)
    for (const order of value) orders.set(String(order.id), orderThere(order))
    for (const id of some.filter((one) => !orders.has(one))) {
      const order = await readOne(api, `/orders/${id}`, Listed, signal)
      if (order) orders.set(id, orderThere(order))
    }
  }
  return given.map((one, index) => talliedOrder(one, idsOfEach[index] ?? [], orders))
}

const FIELDS = 'id,status,currency,total,refunds,meta_data'

/** Where money was given back, or the order is off, the total is not what the till took any more. */
function orderThere(order: z.output<typeof Listed>): OrderThere {
  const { status, refunds, total, currency } = order
  const isChanged = refunds.length > 0 || isOff(order)
  const amount = isChanged || total === null ? null : money(total, currency)
  const key = metaOf(order, META.key)
  return { key, gone: status === 'trash' ? 'in the trash' : null, isOff: isOff(order), amount }
}

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
