import type { SubmittedOrder } from '../../domain/catalogue/submitted.ts'
import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { PlatformOrder } from '../../platform/areas/orders/order-record.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Effect } from '../../ports/attempt.ts'
import type { PlatformPort } from '../../ports/platform.ts'
import { neverTold } from './never-told.ts'
import { quantities } from './quantities.ts'
import { unlessCertain } from './uncertain.ts'
import { WITHOUT_ID } from './without-id.ts'

interface OrderWrites extends Pick<PlatformPort, 'createOrder'> {
  /**
   * The order that an earlier attempt created; null: there is none. A platform that may not be able to tell of any order is
   * not believed there: UnknownOutcomeError `not-proven`.
   */
  findOrder(order: SubmittedOrder, signal: AbortSignal): Promise<Effect | null>
}

/** New online orders for stores (spec, "Omnichannel"); see order-changes.ts for what becomes of them later. */
export function createOrderWrites({ orders, operations }: Pick<Platform, 'orders' | 'operations'>): OrderWrites {
  /** The order with this number, which must be ours. */
  async function read(order: SubmittedOrder, signal: AbortSignal): Promise<Effect | null> {
    const { orderNo, storeId, stockId } = order
    const found = await orders.read(orderNo, { storeId, stockId, signal })
    if (!found) return null
    if (found.orderNo !== orderNo || !sameGoods(found.lines, order.lines))
      throw new PermanentError(
        `platform: there is an order ${orderNo} already, with other lines. Look at it, and submit this one under another number.`,
        { code: 'order-number-taken' },
      )
    return effectOf(orderNo, found.orderId)
  }

  return {
    async createOrder(order, { signal }) {
      const { storeId, stockId, ...sent } = order
      try {
        const orderId = await orders.create(sent, { storeId, stockId, signal })
        return orderId === null ? { note: WITHOUT_ID } : effectOf(order.orderNo, orderId)
      } catch (error) {
        // The number is taken: by an earlier call of ours, or by another order.
        const found = error instanceof RetryLaterError && error.code === 'http-409' ? await read(order, signal) : null
        if (found) return found
        throw unlessCertain(error)
      }
    },

    async findOrder(order, signal) {
      const found = await read(order, signal)
      if (found || (await operations.isProven('orders.read'))) return found
      throw new UnknownOutcomeError(`platform: ${neverTold(order.orderNo)}`, { code: 'not-proven' })
    },
  }
}

function effectOf(orderNo: string, orderId: string | null): Effect {
  if (orderId === null) return {}
  return { links: [{ kind: 'order', id: orderNo, theirId: orderId }], note: `order id ${orderId}` }
}

/** Whether they are about as many of each article, however they are split into lines. */
function sameGoods(there: PlatformOrder['lines'], ours: SubmittedOrder['lines']): boolean {
  const counted = quantities(there)
  const wanted = quantities(ours)
  return (
    counted.size === wanted.size && [...wanted].every(([key, { quantity }]) => counted.get(key)?.quantity === quantity)
  )
}
