import { amountText, sum } from '../amount.ts'
import type { Order, Refund, RefundedLine } from '../orders/order.ts'
import type { SiteTime } from '../site-time.ts'

/** A refund as `GET /orders/{id}/refunds/{id}` shows it: lines count below zero, the amount does not. */
export function refundJson(refund: Refund, order: Order, { api, time }: { api: string; time: SiteTime }) {
  const { id, amount, reason, paidBack, createdAt, meta, lines } = refund
  const refunds = `${api}/orders/${order.id}/refunds`
  return {
    id,
    date_created: time.local(createdAt),
    date_created_gmt: time.gmt(createdAt),
    amount: amountText(amount),
    reason,
    refunded_by: 1,
    refunded_payment: paidBack,
    meta_data: meta,
    line_items: lines.filter(({ of }) => 'productId' in of).map(lineJson),
    shipping_lines: lines.filter(({ of }) => 'methodId' in of).map(lineJson),
    tax_lines: [],
    fee_lines: lines.filter(({ of }) => 'taxStatus' in of).map(lineJson),
    _links: {
      self: [{ href: `${refunds}/${id}` }],
      collection: [{ href: refunds }],
      up: [{ href: `${api}/orders/${order.id}` }],
    },
  }
}

function lineJson({ id, of, quantity, total, taxes }: RefundedLine): Record<string, unknown> {
  const negative = (amount: typeof total) => amountText(amount.times(-1))
  return {
    id,
    ...('productId' in of && {
      name: of.name,
      product_id: of.productId,
      variation_id: of.variationId,
      quantity: -quantity,
      tax_class: of.taxClass,
      subtotal: negative(total),
      subtotal_tax: negative(sum(taxes.map((tax) => tax.total))),
    }),
    total: negative(total),
    total_tax: negative(sum(taxes.map((tax) => tax.total))),
    taxes: taxes.map((tax) => ({ id: tax.rateId, total: negative(tax.total), subtotal: negative(tax.total) })),
    meta_data: [{ id, key: '_refunded_item_id', value: String(of.id) }],
  }
}
