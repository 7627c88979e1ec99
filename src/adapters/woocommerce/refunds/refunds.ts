import { z } from 'zod'
import { PermanentError, UnknownOutcomeError } from '../../../domain/values/errors.ts'
import { amountText, compareDecimals, type Money, money } from '../../../domain/values/money.ts'
import { type Attempt, mayStillLand } from '../../../ports/attempt.ts'
import { addNoteOnce } from '../notes.ts'
import { checkGateway } from '../orders/gateway.ts'
import type { OrderContext } from '../orders/order-context.ts'
import { referenceOf } from '../orders/reference.ts'
import { META, metaOf, type ShopOrder, ShopRefund } from '../people/shop-order.ts'
import { saysCode } from '../says-code.ts'
import { amountOf, leftOf, type RefundPart, wirePart, withDiscounts } from './refund-parts.ts'
import { uncertainIfRefused } from './uncertain.ts'

/** A refund to be made. */
interface NewRefund {
  parts: RefundPart[]
  /** For people; the customer sees it. */
  reason: string
  /** Whether the payment provider is to give the money back; else it is entered in the books and nothing more. */
  payBack: boolean
}

/** All refunds of an order: WooCommerce gives a hundred at once. */
export async function refundsOf(
  { api }: { api: Pick<OrderContext['api'], 'get'> },
  { id }: Pick<ShopOrder, 'id'>,
  signal: AbortSignal,
): Promise<ShopRefund[]> {
  const all: ShopRefund[] = []
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const query = { per_page: '100', page: String(page), orderby: 'id', order: 'asc' }
    const { value, headers } = await api.get(`/orders/${id}/refunds`, query, z.array(ShopRefund), signal)
    for (const one of value) all.push(one)
    pages = Number(headers['x-wp-totalpages'] ?? (value.length < 100 ? page : page + 1))
  }
  return all
}

/** The refund of an effect: by its meta data, or by its reason where the shop broke off before it wrote them. */
export function refundOf(key: string, refunds: readonly ShopRefund[]): ShopRefund | null {
  return refundsWith(key, refunds)[0] ?? null
}

/** All refunds that bear the key of an effect. */
export function refundsWith(key: string, refunds: readonly ShopRefund[]): ShopRefund[] {
  const mark = markOf(key)
  return refunds.filter((one) => metaOf(one, META.key) === key || one.reason?.includes(mark))
}

/**
 * The refund of this effect: the one that an earlier try left, else a new one. Throws UnknownOutcomeError `maybe-paid-back` where
 * nobody but the payment provider can tell whether the money went.
 */
export async function refundOnce(
  context: OrderContext,
  order: ShopOrder,
  refunds: readonly ShopRefund[],
  { parts: asked, reason, payBack }: NewRefund,
  attempt: Attempt,
): Promise<ShopRefund> {
  if (attempt.mayStillLand) throw mayStillLand()
  const { key, signal } = attempt
  const { destination, api, options } = context
  const parts = withDiscounts(order, asked, refunds)
  const wanted = amountOf(parts, order.currency)
  const amount = amountToRefund(context, order, refunds, wanted)
  if (amount.amount !== wanted.amount)
    await addNoteOnce(context, order, lessThanWanted(amount, wanted, reason), false, attempt)
  const moves = payBack && amount.amount !== '0'
  if (moves) await checkGateway(context, order, signal)
  const body = {
    amount: amountText(amount),
    reason: `${reason} ${markOf(key)}`,
    api_refund: moves,
    api_restock: options.restock,
    meta_data: [{ key: META.key, value: key }],
    line_items: parts.map(wirePart),
  }
  return await api.write('POST', `/orders/${order.id}/refunds`, body, ShopRefund, signal).catch((error: unknown) => {
    if (!saysCode(error, 'woocommerce_rest_cannot_create_order_refund')) return uncertainIfRefused(error)
    // The refund is taken away again, but a provider may have paid before it said no, or before a plugin failed.
    const what = `${destination}: the shop refused to refund ${shown(amount)} of order ${order.number}`
    if (!moves)
      throw new PermanentError(`${what}. Look at the order there, then retry or skip.`, {
        code: 'refund-refused',
        cause: error,
      })
    const check = 'Look there and at the payment provider: if the money went, skip this; if not, retry it with --again.'
    throw new UnknownOutcomeError(`${what}. ${check}`, { code: 'refund-refused', cause: error, byHand: true })
  })
}

/**
 * Gives a refund that is there already. Throws UnknownOutcomeError `maybe-paid-back` for one that should have moved money and does
 * not say that it has: the shop died while it asked the payment provider.
 */
export function checkedRefund(
  { destination }: OrderContext,
  order: ShopOrder,
  refund: ShopRefund,
  payBack: boolean,
): ShopRefund {
  const moves =
    payBack && compareDecimals(money(refund.amount, order.currency).amount, money(0, order.currency).amount) > 0
  if (!moves || refund.refunded_payment !== false) return refund
  throw new UnknownOutcomeError(
    `${destination}: refund ${refund.id} of order ${order.number} is in the shop, but the shop does not know whether the money went. Look at the payment provider: if it went, skip this; if not, delete that refund in the shop and retry with --again.`,
    { code: 'maybe-paid-back', byHand: true },
  )
}

/** Never more than what is left of the order. */
function amountToRefund(
  { destination }: OrderContext,
  order: ShopOrder,
  refunds: readonly ShopRefund[],
  wanted: Money,
): Money {
  const left = leftOf(order, refunds)
  if (compareDecimals(wanted.amount, left.amount) <= 0) return wanted
  if (left.amount !== '0') return left
  throw new PermanentError(
    `${destination}: nothing is left to refund of order ${order.number}: all of it was given back before. Look at its refunds there; if they are right, skip this.`,
    { code: 'nothing-left' },
  )
}

/** Money that was given back for no goods may have been for these, or for others: people in the shop must know. */
function lessThanWanted(amount: Money, wanted: Money, reason: string): string {
  return `${reason}: these goods cost ${shown(wanted)}, and only ${shown(amount)} were left to give back, because money was given back before for no goods. Please look whether that was for these.`
}

export function shown(amount: Money): string {
  return `${amountText(amount)} ${amount.currency}`
}

function markOf(key: string): string {
  return `[${referenceOf(key)}]`
}
