import { Big } from 'big.js'
import { readAmount, rounded, sum, ZERO } from '../amount.ts'
import type { NextId } from '../ids.ts'
import { applyMeta } from '../orders/lines.ts'
import type { Order, Refund, RefundedLine } from '../orders/order.ts'
import { addNote, setStatus } from '../orders/status.ts'
import type { Catalogue } from '../products/catalogue.ts'
import { RestError } from '../rest-error.ts'
import { gatewayOf } from './gateways.ts'
import { type RefundInput, type RefundLineInput, refundLines } from './parameters.ts'

export type { RefundInput } from './parameters.ts'

interface Means {
  catalogue: Catalogue
  nextId: NextId
  now: number
}

/**
 * Gives money back, in the steps of `wc_create_refund`: the refund is saved, the payment provider is asked, then come
 * stock and status, and last the refund's own meta data. A fault after the save leaves a refund without money moved and
 * without meta data.
 */
export async function createRefund(
  order: Order,
  input: RefundInput,
  moments: { saved(): Promise<void> },
  means: () => Means,
): Promise<Refund> {
  const given = refundLines(input.line_items)
  const amount = input.amount ? readAmount(input.amount) : amountOf(given)
  if (amount.lt(0))
    throw new RestError(400, 'woocommerce_rest_invalid_order_refund', 'Refund amount must be greater than zero.')
  const left = remaining(order)
  if (amount.gt(left)) throw refused('Invalid refund amount.')
  const { nextId, now } = means()
  const refund: Refund = {
    id: nextId(),
    amount: rounded(amount),
    reason: input.reason ?? '',
    paidBack: false,
    createdAt: now,
    lines: given.flatMap((line) => refundedLine(order, line, nextId)),
    meta: [],
  }
  order.refunds.push(refund)
  await moments.saved()
  if (input.api_refund !== false) payBack(order, refund)
  if (input.api_restock !== false) restock(order, refund, means())
  if (left.minus(amount).lte(0)) setStatus(order, 'refunded', means())
  order.modifiedAt = means().now
  applyMeta(refund.meta, input.meta_data ?? [], nextId)
  return refund
}

/** The money of an order that is left to refund. */
function remaining({ totals, refunds }: Order): Big {
  return totals.total.minus(sum(refunds.map(({ amount }) => amount)))
}

/** A refund that the payment provider refuses is taken away again. */
function payBack(order: Order, refund: Refund): void {
  const why = refusalOf(order)
  if (why !== null) {
    order.refunds.splice(order.refunds.indexOf(refund), 1)
    throw refused(why)
  }
  refund.paidBack = true
}

function refusalOf({ paymentMethod, paidAt }: Order): string | null {
  const gateway = gatewayOf(paymentMethod)
  if (!gateway) return 'The payment gateway for this order does not exist.'
  if (!gateway.supports.includes('refunds'))
    return 'The payment gateway for this order does not support automatic refunds.'
  if (paidAt === null) return 'An error occurred while attempting to create the refund using the payment gateway API.'
  return null
}

function refundedLine(order: Order, given: RefundLineInput, nextId: NextId): RefundedLine[] {
  const of = [...order.lines, ...order.shippingLines, ...order.feeLines].find((line) => line.id === given.id)
  const taxes = given.refund_tax.map((tax) => ({ rateId: tax.id, total: new Big(tax.refund_total) }))
  const total = new Big(given.refund_total ?? 0)
  if (!of || (given.quantity === 0 && total.eq(ZERO) && taxes.length === 0)) return []
  return [{ id: nextId(), of, quantity: given.quantity, total, taxes }]
}

/** The amount of a request that names none: the sum of its lines, if each has one. */
function amountOf(lines: readonly RefundLineInput[]): Big {
  if (lines.some((line) => line.refund_total === undefined)) return ZERO
  return sum(
    lines.flatMap((line) => [
      new Big(line.refund_total ?? 0),
      ...line.refund_tax.map((tax) => new Big(tax.refund_total)),
    ]),
  )
}

function restock(order: Order, { lines }: Refund, means: Means): void {
  for (const { of, quantity } of lines) {
    if (!('productId' in of) || of.reducedStock === 0 || quantity === 0) continue
    const product = means.catalogue.get(of.variationId || of.productId)
    const holder = product && means.catalogue.stockHolder(product)
    if (!product || !holder || holder.stock === null) continue
    const before = holder.stock
    holder.stock = before + quantity
    holder.modifiedAt = means.now
    of.reducedStock -= quantity
    of.restocked += quantity
    addNote(order, `Item #${product.id} stock increased from ${before} to ${holder.stock}.`, false, means)
  }
}

/** WooCommerce answers each refusal of this kind with 500; its words are the only difference. */
function refused(message: string): RestError {
  return new RestError(500, 'woocommerce_rest_cannot_create_order_refund', message)
}
