import { PermanentError, RetryLaterError } from '../../../domain/values/errors.ts'
import { mayStillLand } from '../../../ports/attempt.ts'
import type { Shop, Step } from '../shop.ts'
import { hasMark, marked } from './mark.ts'
import { refundable, type ShopOrder, type ShopPayment } from './shop-order.ts'

export interface Refunded {
  id: string
  state: string
  amount: number
}

/** The part of an order that is given back. */
export interface MoneyBack {
  /** The lines that the money is for. */
  lines: { orderLineId: string; quantity: number }[]
  amount: number
  reason: string
  /** The payments whose money it is, in their order. */
  payments: readonly ShopPayment[]
}

/**
 * Gives so much back, of several payments if one is not enough; what bears the step's key already counts for it. Throws a
 * RetryLaterError `vendure-refund-failed` where the payment service refused: such a refund gave nothing back, and the next try
 * makes another.
 */
export async function payBack(
  shop: Shop,
  order: ShopOrder,
  { lines, amount, reason, payments }: MoneyBack,
  step: Step,
): Promise<Refunded[]> {
  const before = refundsOf(order, step.key)
  let rest = amount - before.reduce((sum, refund) => sum + refund.amount, 0)
  const refunds = [...before]
  for (const payment of payments) {
    const share = Math.min(rest, refundable(payment))
    if (share <= 0) continue
    if (step.mayStillLand) throw mayStillLand()
    const input = {
      paymentId: payment.id,
      amount: share,
      lines: refunds.length === 0 ? lines : [],
      // Vendure's database wants them, also where the amount is given.
      shipping: 0,
      adjustment: 0,
      reason: marked(reason, step.key),
    }
    const { id, state } = await shop.api.run(shop.operations.refund, { input }, step.signal)
    if (state === 'Failed') throw refundFailed(shop, order, { id, amount: share })
    refunds.push({ id, state, amount: share })
    rest -= share
  }
  if (rest <= roundingOf(order)) return refunds
  const short = `${shop.amounts.decimal(rest)} ${order.currencyCode}`
  throw new PermanentError(
    `${shop.api.destination}: ${short} too much: order ${order.code} has no payment left that can be given back`,
    { code: 'nothing-to-refund' },
  )
}

/**
 * The coins that pieces may be worth beyond what their lines cost, as the price of one is rounded: three for 200.00 are 66.67 each. Whoever
 * brings all of them back gets 200.00.
 */
function roundingOf({ lines }: ShopOrder): number {
  return Math.ceil(lines.reduce((sum, { quantity }) => sum + quantity, 0) / 2)
}

function refundFailed(
  { api, amounts }: Shop,
  { code, currencyCode }: ShopOrder,
  { id, amount }: Pick<Refunded, 'id' | 'amount'>,
): RetryLaterError {
  const what = `${amounts.decimal(amount)} ${currencyCode} of order ${code}`
  return new RetryLaterError(
    `${api.destination}: the payment service did not give ${what} back (refund ${id} is Failed). It is tried again; if it goes on failing, look at the payment service.`,
    { code: 'vendure-refund-failed' },
  )
}

/** Refunds that bear the key. */
export function refundsOf({ payments }: ShopOrder, key: string): Refunded[] {
  return payments
    .flatMap(({ refunds }) => refunds)
    .filter(({ reason, state }) => state !== 'Failed' && hasMark(reason, key))
    .map(({ id, state, total: amount }) => ({ id, state, amount }))
}

/** The money that the shop has taken, before it gave any of it back. */
export function takenOf({ payments }: ShopOrder): number {
  return payments.filter(({ state }) => state === 'Settled').reduce((sum, { amount }) => sum + amount, 0)
}

/** `3 Settled`, `4 Pending`: one that is pending waits for a person or a payment service. */
export function told(refunds: readonly Refunded[]): string {
  const all = refunds.map(({ id, state }) => `refund ${id} ${state}`)
  return all.join(', ') || 'nothing to give back'
}
