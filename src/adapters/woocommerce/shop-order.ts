import { z } from 'zod'
import { type Money, money } from '../../domain/money.ts'

const amount = z.string().regex(/^-?\d+(\.\d+)?$/)
const Meta = z.object({ key: z.string(), value: z.unknown() })

/** An order as the shop shows it: what of it matters here. */
export const ShopOrder = z.object({
  id: z.number().int(),
  /** What people in the shop know it by; some plugins give another one than the id. */
  number: z.union([z.string(), z.number()]).transform(String),
  status: z.string(),
  currency: z.string(),
  /** With tax. */
  total: amount,
  date_paid: z.string().nullish(),
  meta_data: z.array(Meta),
  line_items: z.array(
    z.object({
      id: z.number().int(),
      product_id: z.number().int().nullish(),
      /** Without tax, as is every amount of a line. */
      total: amount,
      total_tax: amount,
      meta_data: z.array(Meta),
    }),
  ),
})

export type ShopOrder = z.output<typeof ShopOrder>

/** Meta data by which an order knows where it comes from. A leading underscore hides it from people in the shop. */
export const META = {
  key: '_tillbridge_key',
  total: '_tillbridge_total',
  transaction: '_tillbridge_transaction',
  sku: '_tillbridge_sku',
  gtin: '_tillbridge_gtin',
  row: '_tillbridge_row',
  email: '_tillbridge_email',
  order: 'tillbridge_order',
  receipt: 'tillbridge_receipt',
  store: 'tillbridge_store',
  pos: 'tillbridge_pos',
  customer: 'tillbridge_customer',
  problem: 'tillbridge_problem',
} as const

/** A meta value as text; null where there is none. */
export function metaOf({ meta_data }: { meta_data: z.output<typeof Meta>[] }, key: string): string | null {
  const found = meta_data.find((meta) => meta.key === key)?.value
  return typeof found === 'string' || typeof found === 'number' ? String(found) : null
}

/** What the customer paid at the till; null in an order that no till made. */
export function paidAtTill(order: ShopOrder): Money | null {
  const total = metaOf(order, META.total)
  return total === null ? null : money(total, order.currency)
}

/**
 * Whether the shop counts it as paid. By the status too: WooCommerce dates the payment only of an order that has a
 * product of its own in it.
 */
export function isPaid({ date_paid, status }: ShopOrder): boolean {
  return Boolean(date_paid) || status === 'processing' || status === 'completed'
}

/** Whether the shop still waits for the money. Any other status without payment is a person's doing. */
export function awaitsPayment(order: ShopOrder): boolean {
  return !isPaid(order) && (order.status === 'pending' || order.status === 'failed')
}
