import { RetryLaterError } from '../../../domain/values/errors.ts'
import { readOrder, type Shop, type Step } from '../shop.ts'
import type { ShopOrder, ShopPayment } from './shop-order.ts'

/* Money that a payment service has reserved: it is taken when the goods leave, or released when the order is off. */

/**
 * Takes what is reserved, as far as the payment service gives it; gives the order as it is then. Throws a RetryLaterError where
 * something is reserved still.
 */
export async function takePayments(shop: Shop, order: ShopOrder, step: Step): Promise<ShopOrder> {
  const reserved = order.payments.filter(isReserved)
  if (reserved.length === 0) return order
  const { api, operations } = shop
  for (const { id } of reserved)
    await api.attempt(operations.settlePayment, { id }, ['SETTLE_PAYMENT_ERROR'], step.signal)
  const now = (await readOrder(shop, order.id, step)) ?? order
  const left = now.payments.filter(isReserved)
  if (left.length === 0) return now
  throw refusedFor(shop, now, left, { verb: 'did not take', code: 'vendure-settle-payment-error' })
}

/**
 * Releases payments that were reserved and never taken; gives how many. A payment that the service refused to take or to release is
 * `Error` then, and may be reserved still: it is asked again. Throws a RetryLaterError where one was not released.
 */
export async function releasePayments(shop: Shop, order: ShopOrder, step: Step): Promise<number> {
  const { api, operations } = shop
  const reserved = order.payments.filter((payment) => isReserved(payment) || mayBeReserved(order, payment))
  const left: ShopPayment[] = []
  for (const payment of reserved) {
    const { id } = payment
    const answer = await api.attempt(operations.cancelPayment, { id }, ['CANCEL_PAYMENT_ERROR'], step.signal)
    if ('refused' in answer) left.push(payment)
  }
  if (left.length === 0) return reserved.length
  throw refusedFor(shop, order, left, { verb: 'did not release', code: 'vendure-cancel-payment-error' })
}

function isReserved({ state }: ShopPayment): boolean {
  return state === 'Authorized'
}

/** One that failed at once never was. */
function mayBeReserved({ history }: ShopOrder, { id, state }: ShopPayment): boolean {
  if (state !== 'Error') return false
  const moves = history.items.filter(({ type, data }) => type === PAYMENT_MOVED && String(data.paymentId) === id)
  return !moves.some(({ data }) => data.from === 'Created' && data.to === 'Error')
}

const PAYMENT_MOVED = 'ORDER_PAYMENT_TRANSITION'

function refusedFor(
  { api, amounts }: Shop,
  { code: number, currencyCode }: ShopOrder,
  left: readonly ShopPayment[],
  { verb, code }: { verb: string; code: string },
): RetryLaterError {
  const sum = amounts.decimal(left.reduce((total, { amount }) => total + amount, 0))
  const ids = left.map(({ id }) => id).join(', ')
  return new RetryLaterError(
    `${api.destination}: the payment service ${verb} ${sum} ${currencyCode} of order ${number} (payment ${ids}). It is tried again; if it goes on failing, look at the payment service.`,
    { code },
  )
}
