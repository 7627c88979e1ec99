import { z } from 'zod'
import { boolean, email, integer, listOf, mixed, oneOf, text } from '../parameters.ts'
import { BILLING, SHIPPING, STATUSES, type Status } from './order.ts'

const statuses = (Object.keys(STATUSES) as Status[]).filter((status) => status !== 'trash')

const Meta = z.object({ id: integer.optional(), key: text.optional(), value: mixed })

const ProductLineInput = z.object({
  id: integer.optional(),
  name: mixed,
  product_id: mixed,
  variation_id: integer.optional(),
  sku: text.optional(),
  quantity: integer.optional(),
  tax_class: text.optional(),
  subtotal: text.optional(),
  total: text.optional(),
  subtotal_tax: text.optional(),
  total_tax: text.optional(),
  meta_data: listOf(Meta).optional(),
})

const ShippingLineInput = z.object({
  id: integer.optional(),
  method_id: mixed,
  method_title: mixed,
  instance_id: text.optional(),
  total: text.optional(),
  total_tax: text.optional(),
  meta_data: listOf(Meta).optional(),
})

const FeeLineInput = z.object({
  id: integer.optional(),
  name: mixed,
  tax_class: text.optional(),
  tax_status: oneOf('taxable', 'none').optional(),
  total: text.optional(),
  total_tax: text.optional(),
  meta_data: listOf(Meta).optional(),
})

const fields = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, text.optional()]))

/**
 * The fields that `POST` and `PUT` of orders read. A null of its own leaves a field alone; inside an address or a line it is refused,
 * but for the e-mail address.
 */
export const OrderInput = z.object({
  id: mixed,
  parent_id: integer.nullish(),
  status: oneOf(...statuses).nullish(),
  currency: oneOf(...Intl.supportedValuesOf('currency')).nullish(),
  created_via: text.nullish(),
  customer_id: integer.nullish(),
  customer_note: text.nullish(),
  billing: z.object({ ...fields(BILLING), email: email.optional() }).nullish(),
  shipping: z.object(fields(SHIPPING)).nullish(),
  payment_method: text.nullish(),
  payment_method_title: text.nullish(),
  transaction_id: text.nullish(),
  meta_data: listOf(Meta).nullish(),
  line_items: listOf(ProductLineInput).nullish(),
  shipping_lines: listOf(ShippingLineInput).nullish(),
  fee_lines: listOf(FeeLineInput).nullish(),
  coupon_lines: listOf(z.object({ id: integer.optional(), code: mixed })).nullish(),
  set_paid: boolean.nullish(),
})

export type OrderInput = z.infer<typeof OrderInput>
export type ProductLineInput = z.infer<typeof ProductLineInput>
export type ShippingLineInput = z.infer<typeof ShippingLineInput>
export type FeeLineInput = z.infer<typeof FeeLineInput>
export type MetaInput = z.infer<typeof Meta>

export const NoteInput = z.object({ note: text, customer_note: boolean.nullish() })
