import { idOfTillOrder } from '../../../domain/orders/order-link.ts'
import type { Attempt, Effect, FoundEffect } from '../../../ports/attempt.ts'
import type { OrderNumber, OrdersCall } from '../../../ports/orders.ts'
import type { Shop } from '../shop.ts'
import { declineGoods, expireOrder, wasCancelled } from './cancel.ts'
import { isDelivered, markCollected } from './collected.ts'
import { findCreated, findDraft } from './create.ts'
import { findAllByKey, orderOf } from './find-order.ts'
import { fulfilmentOf, shipParcel } from './fulfil.ts'
import { hasMark, hasMarkedNote } from './mark.ts'
import { refundsOf } from './money-back.ts'
import { noteRefund } from './note-refund.ts'
import { tellReady, wasTold } from './ready.ts'
import { refundGoods } from './refund.ts'
import type { ShopOrder } from './shop-order.ts'

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

/** Orders, and refunds, that bear the key of an attempt: what must not be there twice. Null: the call leaves none. */
export async function findAllEffects(shop: Shop, attempt: Attempt, call: OrdersCall): Promise<FoundEffect[] | null> {
  switch (call.method) {
    case 'create': {
      const of = { kind: 'order', id: idOfTillOrder(call.argument) }
      return (await findAllByKey(shop, attempt)).map((theirId) => ({ theirId, of }))
    }
    case 'draft':
      return (await findAllByKey(shop, attempt)).map((theirId) => ({ theirId }))
    case 'refund':
    case 'noteRefund':
      return await refundsTwice(call.argument.refund)
    case 'decline':
      return await refundsTwice(call.argument.order)
    case 'expire':
      return await refundsTwice(call.argument)
    default:
      return null
  }

  /** A refund of several payments is one of each: only of one payment there may not be two. */
  async function refundsTwice(about: OrderNumber): Promise<FoundEffect[]> {
    const order = await orderOf(shop, about, attempt)
    const ofEach = order.payments.map(({ refunds }) =>
      refunds.filter(({ reason, state }) => state !== 'Failed' && hasMark(reason, attempt.key)),
    )
    const most = ofEach.toSorted((a, b) => b.length - a.length)[0] ?? []
    return most.map(({ id }) => ({ theirId: id }))
  }
}
