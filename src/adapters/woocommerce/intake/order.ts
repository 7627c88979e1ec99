import { z } from 'zod'
import { id, list, number, optional, readable, text, textOrNone } from '../document.ts'
import { Cost, META, metaOf, ShopOrder } from '../people/shop-order.ts'
import { ShopAddress } from './shop-address.ts'

/** An order with all that other systems are told about it. Times have no zone: `…_gmt` in UTC, the others on the shop's wall. */
export const WholeOrder = ShopOrder.extend({
  customer_id: optional(id),
  date_created: text,
  date_created_gmt: text,
  date_modified_gmt: text,
  date_paid_gmt: text,
  date_completed_gmt: text,
  payment_method_title: text,
  transaction_id: text,
  billing: ShopAddress,
  shipping: ShopAddress,
  shipping_lines: list(Cost.extend({ method_id: textOrNone, method_title: text, instance_id: text })),
  tax_lines: readable(z.object({ rate_id: id, rate_percent: optional(number) })),
  refunds: list(z.object({ id, reason: text })),
})

export type WholeOrder = z.output<typeof WholeOrder>

/**
 * Whether it was sold at a till, and is no order of the shop's own. A basket that was saved at a till for the customer to pay
 * online is one, once it is paid.
 */
export function isOfTill(order: Pick<ShopOrder, 'meta_data'>): boolean {
  return metaOf(order, META.key) !== null && metaOf(order, META.draft) === null
}

/** When it was placed, with the offset of the shop's clock: `2026-03-01T13:00:00+01:00`. Null: the shop does not say. */
export function placedAt({ date_created: local, date_created_gmt: gmt }: WholeOrder): string | null {
  if (!gmt) return null
  const minutes = local ? Math.round((Date.parse(`${local}Z`) - Date.parse(`${gmt}Z`)) / 60_000) : 0
  if (!local || minutes === 0) return `${gmt}Z`
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  const two = (number: number) => String(number).padStart(2, '0')
  return `${local}${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`
}
