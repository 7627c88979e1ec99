import { z } from 'zod'
import { phoneOf } from '../../../domain/people/phone.ts'
import type { Money } from '../../../domain/values/money.ts'
import { addMoney, money, roundMoney } from '../../../domain/values/money.ts'
import { META, metaOf, type ShopLine, ShopOrder } from '../people/shop-order.ts'

const line = z
  .string()
  .nullish()
  .transform((text) => text?.trim() || null)

export const ShopAddress = z
  .object({
    first_name: line,
    last_name: line,
    company: line,
    address_1: line,
    address_2: line,
    city: line,
    state: line,
    postcode: line,
    country: line,
    email: line,
    phone: line,
  })
  .partial()

export type ShopAddress = z.output<typeof ShopAddress>

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

/** The cost of a line with tax, in coins. */
export function costOf({ total, total_tax }: Pick<ShopLine, 'total' | 'total_tax'>, currency: string): Money {
  return roundMoney(addMoney(money(total, currency), money(total_tax, currency)))
}

/** The shop's name for an article of a line: its GTIN, else its SKU, which in many a shop is the GTIN. */
export function gtinOf({ global_unique_id: gtin, sku }: ShopLine): string {
  return gtin?.trim() || sku?.trim() || ''
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

/** In E.164 where it can be read so, by the country of the address. */
export function phoneIn({ phone, country }: ShopAddress): string | null {
  return phoneOf(null, phone ?? null, country?.toUpperCase() ?? null)
}

/** The street in one line, of the two that it may have. */
export function streetOf({ address_1, address_2 }: ShopAddress): string | null {
  return [address_1, address_2].filter(Boolean).join(', ') || null
}
