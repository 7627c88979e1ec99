import { severalReferences, type TillOrder } from '../../../domain/orders/order.ts'
import { amountText, roundMoney } from '../../../domain/values/money.ts'
import { billingOf, shippingOf } from '../people/addresses.ts'
import { META } from '../people/shop-order.ts'
import type { ProductReference } from '../stock/products.ts'
import { withoutNulls } from '../without-nulls.ts'
import { lineOf, lineProblem } from './lines.ts'
import { payment } from './payment.ts'

/**
 * The order for `POST /orders`: not yet paid, so that totals can be put right before the shop tells the customer. With
 * nothing to pay the shop would never take it as paid afterwards, so then it is paid at once.
 */
export function newOrder(order: TillOrder, products: readonly (ProductReference | null)[], key: string): object {
  const total = roundMoney(order.total)
  return withoutNulls({
    ...(total.amount === '0' || total.amount.startsWith('-') ? paidAtOnce(products) : {}),
    transaction_id: order.transactionId,
    payment_method: 'tillbridge',
    payment_method_title: paymentTitle(order),
    ...common(order, products, {
      [META.key]: key,
      [META.transaction]: order.transactionId,
      // A receipt's number is no order's.
      [META.order]: order.orderNo,
    }),
  })
}

/** The same for a basket: it waits for the customer, who chooses how to pay. */
export function newDraft(basket: TillOrder, products: readonly (ProductReference | null)[], key: string): object {
  return withoutNulls({
    status: 'pending',
    ...common(basket, products, { [META.key]: key, [META.draft]: 'yes', [META.order]: basket.number }),
  })
}

function common(
  order: TillOrder,
  products: readonly (ProductReference | null)[],
  marks: Record<string, string | null>,
): object {
  const { lines, store, customer, fulfillment } = order
  const billing = billingOf(order.customer)
  const problems = lines.flatMap((line, index) => lineProblem(line, products[index] ?? null) ?? [])
  for (const comment of order.comments) problems.push(`Comment of the till: ${comment}`)
  if (order.contradiction) problems.push(`${order.contradiction} Please look.`)
  if (billing.refusedEmail) problems.push("The customer's e-mail address at the till is no address: see the meta data.")
  const references = severalReferences(order)
  if (references) problems.push(references)
  const total = roundMoney(order.total)
  return {
    currency: total.currency,
    billing: billing.address,
    shipping: shippingOf(order.shippingAddress, customer),
    line_items: lines.map((line, index) => lineOf(line, products[index] ?? null)),
    shipping_lines: shippingLines(order),
    meta_data: metaData({
      ...marks,
      [META.total]: amountText(total),
      [META.currency]: total.currency,
      [META.receipt]: order.receiptNo,
      [META.store]: [store.number, store.name].filter(Boolean).join(' ') || null,
      [META.pos]: [store.posId, store.posName].filter(Boolean).join(' ') || null,
      [META.stockId]: fulfillment?.stockId ?? null,
      [META.stockName]: fulfillment?.stockName ?? null,
      [META.customer]: customer?.number ?? null,
      [META.email]: billing.refusedEmail,
      [META.problem]: problems.join('\n') || null,
    }),
  }
}

function paidAtOnce(products: readonly (ProductReference | null)[]): object {
  return payment(products.some((product) => product !== null))
}

/** The four positions of shipmentInfo, by name (spec, "fulfillmentLocation"). It costs nothing more: lines say the price. */
function shippingLines({ shipping }: TillOrder): object[] | null {
  if (!shipping) return null
  const { carrierId, carrierService, rateId, pickupPointId } = shipping
  return [
    {
      method_id: carrierId ?? 'tillbridge',
      method_title: carrierService ?? carrierId ?? 'Shipping',
      total: '0',
      meta_data: metaData({ carrierId, carrierService, rateId, pickupPointId }),
    },
  ]
}

/** `Card (Visa) + Gift card, at the till`. */
function paymentTitle({ payments }: TillOrder): string {
  const ways = payments.map(({ type, subType }) => (subType ? `${type} (${subType})` : type))
  return ways.length > 0 ? `${[...new Set(ways)].join(' + ')}, at the till` : 'Paid at the till'
}

function metaData(values: Record<string, string | null>): { key: string; value: string }[] {
  return Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [{ key, value }]))
}
