import { z } from 'zod'
import { META, metaOf, ShopOrder } from '../people/shop-order.ts'
import { line, ShopAddress } from './shop-address.ts'

const time = z.string().nullish()

/** An order with all that other systems are told about it. Times have no zone: `…_gmt` in UTC, the others on the shop's wall. */
export const WholeOrder = ShopOrder.extend({
  customer_id: z.number().int().nullish(),
  date_created: time,
  date_created_gmt: time,
  date_modified_gmt: time,
  date_paid_gmt: time,
  date_completed_gmt: time,
  payment_method_title: line,
  transaction_id: line,
  billing: ShopAddress.prefault({}),
  shipping: ShopAddress.prefault({}),
  shipping_lines: z
    .array(
      ShopOrder.shape.shipping_lines.unwrap().element.extend({
        method_id: line,
        method_title: line,
        instance_id: z
          .union([z.string(), z.number()])
          .nullish()
          .transform((id) => String(id ?? '') || null),
      }),
    )
    .default([]),
  tax_lines: z.array(z.object({ rate_id: z.number(), rate_percent: z.coerce.number().nullish() })).default([]),
  refunds: z.array(z.object({ id: z.number().int(), reason: line })).default([]),
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
