import { PermanentError } from '../../../domain/values/errors.ts'
import { readOrder, type Shop, type Step } from '../shop.ts'
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

/** Gives so much back, of several payments if one is not enough; what bears the step's key already counts for it. */
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
    refunds.push({ id, state, amount: share })
    rest -= share
  }
  if (rest <= 0) return refunds
  const short = `${shop.amounts.decimal(rest)} ${order.currencyCode}`
  throw new PermanentError(
    `${shop.api.destination}: ${short} too much: order ${order.code} has no payment left that can be given back`,
    { code: 'nothing-to-refund' },
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

/** Payments that were reserved and never taken. */
export async function releasePayments(shop: Shop, order: ShopOrder, step: Step): Promise<number> {
  const reserved = order.payments.filter(({ state }) => state === 'Authorized')
  for (const { id } of reserved) await shop.api.run(shop.operations.cancelPayment, { id }, step.signal)
  return reserved.length
}

/** Takes what is reserved; gives the order as it is then. */
export async function takePayments(shop: Shop, order: ShopOrder, step: Step): Promise<ShopOrder> {
  const reserved = order.payments.filter(({ state }) => state === 'Authorized')
  for (const { id } of reserved) await shop.api.run(shop.operations.settlePayment, { id }, step.signal)
  return reserved.length === 0 ? order : ((await readOrder(shop, order.id, step)) ?? order)
}

/** `3 Settled`, `4 Pending`: one that is pending waits for a person or a payment service. */
export function told(refunds: readonly Refunded[]): string {
  const all = refunds.map(({ id, state }) => `refund ${id} ${state}`)
  return all.join(', ') || 'nothing to give back'
}
