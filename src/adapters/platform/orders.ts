import { PermanentError, RetryLaterError } from '../../domain/errors.ts'
import { type Decimal, parseDecimal, sumDecimals } from '../../domain/money.ts'
import type { SubmittedOrder } from '../../domain/submitted.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Effect, PlatformPort } from '../adapter.ts'
import { unlessCertain } from './uncertain.ts'

/** New online orders for stores (spec, "Omnichannel"); see order-changes.ts for what becomes of them later. */
export function createOrderWrites({ orders }: Pick<Platform, 'orders'>): Pick<PlatformPort, 'createOrder' | 'find'> {
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
        return effectOf(order.orderNo, await orders.create(sent, { storeId, stockId, signal }))
      } catch (error) {
        // Its number is taken: by an earlier call of ours, or by another order.
        const found = error instanceof RetryLaterError && error.code === 'http-409' ? await read(order, signal) : null
        if (found) return found
        throw unlessCertain(error)
      }
    },

    async find(attempt, call) {
      if (call.port !== 'platform' || call.method !== 'createOrder')
        throw new TypeError(`${call.port}.${call.method} cannot be looked for`)
      return await read(call.argument, attempt.signal)
    },
  }
}

function effectOf(orderNo: string, orderId: string | null): Effect {
  if (orderId === null) return {}
  return { links: [{ kind: 'order', id: orderNo, theirId: orderId }], note: `order id ${orderId}` }
}

interface Line {
  gtin: string | null
  quantity: string | null
}

/** Whether they are about as many of each article, however they are split into lines. */
function sameGoods(there: readonly Line[], ours: readonly Line[]): boolean {
  const counted = quantities(there)
  const wanted = quantities(ours)
  return counted.size === wanted.size && [...wanted].every(([gtin, quantity]) => counted.get(gtin) === quantity)
}

function quantities(lines: readonly Line[]): Map<string, Decimal> {
  const sums = new Map<string, Decimal>()
  for (const { gtin, quantity } of lines) {
    const key = gtin ?? ''
    sums.set(key, sumDecimals([sums.get(key) ?? parseDecimal(0), parseDecimal(quantity ?? 0)]))
  }
  return sums
}
