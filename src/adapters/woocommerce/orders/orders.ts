import { idOfTillOrder } from '../../../domain/orders/order-link.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import type { Attempt, Effect, FoundEffect } from '../../../ports/attempt.ts'
import type { OrderNumber, OrdersPort } from '../../../ports/orders.ts'
import type { Call } from '../../../ports/ports.ts'
import type { ShopRefund } from '../people/shop-order.ts'
import { refundsOf, refundsWith } from '../refunds/refunds.ts'
import { returnGoods } from '../refunds/returned.ts'
import { ship } from '../refunds/ship.ts'
import { collected } from './collected.ts'
import { create, draft, findCreated, findDraft } from './create.ts'
import { decline } from './decline.ts'
import { expire } from './expire.ts'
import { findOrders } from './find-order.ts'
import { locateOrder } from './locate-order.ts'
import type { OrderContext } from './order-context.ts'
import { ready } from './ready.ts'
import { tally } from './tally.ts'

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
