import { isDeclined } from '../../domain/orders/order-update.ts'
import { isNotThere, PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import type { PlatformOrder } from '../../platform/areas/orders/order-record.ts'
import type { Platform } from '../../platform/platform.ts'
import type { PlatformPort } from '../../ports/platform.ts'
import { neverTold } from './never-told.ts'

/** An order that the store does not carry out any more: there is nothing to cancel. */
const OFF = new Set(['Rejected', 'Expired'])

/** Nobody has begun with it. A record that does not tell its status is left to the platform to judge. */
const UNTOUCHED = new Set([null, 'UnHandled'])

/**
 * Changes and cancellations of online orders (facts, PUT and DELETE /api/OmniChannel). The platform is asked for the order
 * first: whether it refuses what comes too late is not shown, and what lies picked in a store must not vanish from its tills.
 * A cancellation is done when the platform has said so to a DELETE. One that it answers with 404, or with 0 for the orders that it
 * deleted, is done where the platform can tell that it has no such order.
 */
export function createOrderChanges({
  orders,
  operations,
}: Pick<Platform, 'orders' | 'operations'>): Pick<PlatformPort, 'changeOrder' | 'cancelOrder'> {
  return {
    async changeOrder(order, { signal }) {
      const { storeId, stockId, ...sent } = order
      const store = { storeId, stockId, signal }
      const there = ofNumber(await orders.read(order.orderNo, store), order.orderNo)
      if (!there) throw (await operations.isProven('orders.read')) ? notThere(order.orderNo) : cannotSee(order.orderNo)
      const begun = beginningOf(there, true)
      if (begun !== null) throw tooLate(order.orderNo, begun, 'changed')
      await orders.update({ ...sent, status: 'UnHandled' }, store).catch((error) => {
        throw refusedAsLate(error, order.orderNo, 'changed')
      })
      return { note: 'changed' }
    },

    async cancelOrder({ orderNo, storeId, stockId }, { signal }) {
      const store = { storeId, stockId, signal }
      const there = ofNumber(await orders.read(orderNo, store), orderNo)
      if (there?.status && OFF.has(there.status)) return { note: `${there.status} already` }
      const begun = there && beginningOf(there, false)
      if (begun) throw tooLate(orderNo, begun, 'cancelled')
      try {
        await orders.delete(orderNo, store)
      } catch (error) {
        if (!deletedNone(error)) throw refusedAsLate(error, orderNo, 'cancelled')
        if (there && !isNotThere(error)) throw notDeleted(orderNo, error)
        // Either of the two can tell that there is no such order, if it is known to be there itself.
        const tells = (await operations.isProven('orders.delete')) || (await operations.isProven('orders.read'))
        if (!tells) throw notCancelled(orderNo, error)
        return { note: 'not there (any more)' }
      }
      return { note: 'cancelled' }
    },
  }
}

/** The order that was asked for. A platform that ignores the number answers with any: what became of that one says nothing of ours. */
function ofNumber(found: PlatformOrder | null, orderNo: string): PlatformOrder | null {
  return found?.orderNo?.toLowerCase() === orderNo.trim().toLowerCase() ? found : null
}

/**
 * Signs that the store has begun with it; null: there is none. A line that was declined counts for a change alone, which would
 * bring it back.
 */
function beginningOf({ status, lines }: PlatformOrder, declinedCounts: boolean): string | null {
  if (!UNTOUCHED.has(status)) return status
  const line = lines.find((one) => !UNTOUCHED.has(one.status) && (declinedCounts || !isDeclined(one.status)))
  return line ? `${line.status} in part` : null
}

/** The platform deleted nothing, and says so: 404, or 0 (facts, "-> int"). */
function deletedNone(error: unknown): error is PermanentError {
  return isNotThere(error) || (error instanceof PermanentError && error.code === 'refused')
}

type Done = 'changed' | 'cancelled'

function tooLate(orderNo: string, status: string, done: Done): PermanentError {
  return new PermanentError(
    `platform: order ${orderNo} is ${status}: the store has begun with it, and it was not ${done}. ` +
      'Call the store, and settle with the customer what is to happen.',
    { code: 'order-begun' },
  )
}

/** The store may have begun with it since it was read. */
function refusedAsLate(error: unknown, orderNo: string, done: Done): unknown {
  if (!(error instanceof RetryLaterError) || error.code !== 'http-409') return error
  return new PermanentError(
    `platform: order ${orderNo} was not ${done}: ${error.message}. The store has begun with it: call it, and settle with ` +
      'the customer what is to happen.',
    { code: 'order-begun', cause: error },
  )
}

function notThere(orderNo: string): PermanentError {
  return new PermanentError(
    `platform: there is no order ${orderNo} to change. See what became of its submission (\`tillbridge order ${orderNo}\`).`,
    { code: 'no-such-order' },
  )
}

function cannotSee(orderNo: string): PermanentError {
  return new PermanentError(
    `platform: order ${orderNo} was not changed, since whether the store has begun with it cannot be seen: ` +
      `${neverTold(orderNo)}. Call the store.`,
    { code: 'order-unseen' },
  )
}

function notDeleted(orderNo: string, cause: PermanentError): PermanentError {
  return new PermanentError(`platform: order ${orderNo} is still at the store: ${cause.message} Call the store.`, {
    code: 'not-cancelled',
    cause,
  })
}

function notCancelled(orderNo: string, cause: PermanentError): PermanentError {
  return new PermanentError(
    `platform: order ${orderNo} may still be at the store. Its cancellation deleted nothing (${cause.message}), and neither that ` +
      'nor reading an order has ever worked on the platform. Call the store; where orders are cancelled otherwise: ' +
      'platform.endpoints, orders.delete.',
    { code: 'not-cancelled', cause },
  )
}
