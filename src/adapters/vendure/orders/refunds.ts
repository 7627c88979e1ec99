import { PermanentError, RetryLaterError } from '../../../domain/values/errors.ts'
import { type Attempt, type Effect, mayStillLand } from '../../../ports/attempt.ts'
import { type RefundCall, type ReturnedGoods, refundedOrder } from '../../../ports/ports.ts'
import { addNote, type Shop, type ShopStep, type Step } from '../shop.ts'
import { orderOf } from './find-order.ts'
import {
  hasMark,
  hasMarkedNote,
  lineOf,
  marked,
  pieces,
  priceOf,
  refundable,
  type ShopOrder,
  type ShopPayment,
} from './shop-order.ts'

interface Refunded {
  id: string
  state: string
  amount: number
}

interface MoneyBack {
  lines: { orderLineId: string; quantity: number }[]
  amount: number
  reason: string
  payments: readonly ShopPayment[]
}

/** From several payments if necessary; earlier refunds with the step's key count. Throws RetryLaterError `vendure-refund-failed`. */
export async function payBack(
  shop: Shop,
  order: ShopOrder,
  { lines, amount, reason, payments }: MoneyBack,
  step: Step,
): Promise<Refunded[]> {
  const before = refundsOf(order, step.key)
  let rest = amount - refundedBy(order, step.key)
  const refunds = [...before]
  for (const payment of payments) {
    const share = Math.min(rest, refundable(payment))
    if (share <= 0) continue
    if (step.mayStillLand) throw mayStillLand()
    const input = {
      paymentId: payment.id,
      amount: share,
      lines: refunds.length === 0 ? lines : [],
      // Required.
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
    `${shop.api.destination}: ${short} too much: order ${order.code} has no payment left that can be refunded`,
    { code: 'nothing-to-refund' },
  )
}

/** The unit price is rounded: three for 200.00 are 66.67 each. */
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

function refundsOf({ payments }: Pick<ShopOrder, 'payments'>, key: string): Refunded[] {
  return payments
    .flatMap(({ refunds }) => refunds)
    .filter(({ reason, state }) => state !== 'Failed' && hasMark(reason, key))
    .map(({ id, state, total: amount }) => ({ id, state, amount }))
}

/** Several payments have a refund each: the most for one payment. */
export async function countRefunds(shop: Shop, call: RefundCall, attempt: Attempt): Promise<number> {
  const { payments } = await orderOf(shop, refundedOrder(call), attempt)
  return Math.max(0, ...payments.map((payment) => refundsOf({ payments: [payment] }, attempt.key).length))
}

export function refundedBy(order: ShopOrder, key: string): number {
  return refundsOf(order, key).reduce((sum, { amount }) => sum + amount, 0)
}

export function takenOf({ payments }: ShopOrder): number {
  return payments.filter(({ state }) => state === 'Settled').reduce((sum, { amount }) => sum + amount, 0)
}

/** `refund 4 Pending`: by hand, or by the payment service. */
export function describeRefunds(refunds: readonly Refunded[]): string {
  const all = refunds.map(({ id, state }) => `refund ${id} ${state}`)
  return all.join(', ') || 'nothing to refund'
}

export const refundGoods: ShopStep<'refund'> = async (shop, returned, attempt, find) => {
  const { refund, line: goods, quantity } = returned
  const order = await orderOf(shop, refund, attempt)
  if (find && refundsOf(order, attempt.key).length === 0) return null
  const line = lineOf(order, goods, shop.options)
  const count = pieces(quantity)
  const money = {
    lines: [{ orderLineId: line.id, quantity: count }],
    amount: priceOf(order, line, count),
    reason: reasonOf(returned),
    payments: order.payments,
  }
  const refunds = await payBack(shop, order, money, attempt)
  return effectOf(order, returned, refunds)
}

function reasonOf({ refund: { stockName } }: ReturnedGoods): string {
  return stockName === null ? 'Returned in a store' : `Returned in ${stockName}`
}

function effectOf(order: ShopOrder, { refund, line }: ReturnedGoods, refunds: readonly Refunded[]): Effect {
  const [first] = refunds
  const links = first ? [{ kind: 'refund', id: `${refund.refundId}/${line.key}`, theirId: first.id }] : []
  return { links, note: `order ${order.code}: ${describeRefunds(refunds)}` }
}

export async function requireManualMethod(shop: Shop, signal: AbortSignal): Promise<void> {
  const { paymentMethod: code } = shop.options
  if (shop.known.has(code) || !(await isOfService(shop, code, signal))) return void shop.known.add(code)
  throw new PermanentError(
    `${shop.api.destination}: ${code} is a payment method of the shop: give paymentMethod in config another name`,
    { code: 'payment-method-taken' },
  )
}

async function isOfService({ api, operations }: Shop, code: string, signal: AbortSignal): Promise<boolean> {
  const options = { filter: { code: { eq: code } }, take: 1 }
  return (await api.run(operations.paymentMethods, { options }, signal)).totalItems > 0
}

/** A settled refund if no payment service is involved, else a note. */
export const noteRefund: ShopStep<'noteRefund'> = async (shop, returned, attempt, find) => {
  const { refund, line: goods, quantity } = returned
  const order = await orderOf(shop, refund, attempt)
  if (find && !hasMarkedNote(order, attempt.key) && refundsOf(order, attempt.key).length === 0) return null
  const line = lineOf(order, goods, shop.options)
  const count = pieces(quantity)
  const payments: ShopPayment[] = []
  for (const payment of order.payments)
    if (!(await isOfService(shop, payment.method, attempt.signal))) payments.push(payment)
  if (payments.length < order.payments.length || payments.length === 0) {
    const note = marked(
      `${reasonOf(returned)}: ${quantity} × ${line.productVariant.name}. The POS paid it back.`,
      attempt.key,
    )
    if (!hasMarkedNote(order, attempt.key)) await addNote(shop, order, { note, isPublic: false }, attempt)
    return { note: `order ${order.code}: noted` }
  }
  const money = {
    lines: [{ orderLineId: line.id, quantity: count }],
    amount: priceOf(order, line, count),
    reason: `${reasonOf(returned)}, paid back by the POS`,
    payments,
  }
  const refunds = await payBack(shop, order, money, attempt)
  for (const { id, state } of refunds)
    if (state === 'Pending') {
      const input = { id, transactionId: refund.refundId }
      await shop.api.run(shop.operations.settleRefund, { input }, attempt.signal)
    }
  const settled = refunds.map((one) => ({ ...one, state: 'Settled' }))
  return effectOf(order, returned, settled)
}
