import { z } from 'zod'
import { boolean, integer, listOf, mixed, text } from '../parameters.ts'

/**
 * The fields that `POST /orders/{id}/refunds` reads. WordPress checks nothing of `line_items`, because the schema calls them
 * read-only; WooCommerce reads them all the same.
 */
export const RefundInput = z.object({
  amount: text.nullish(),
  reason: text.nullish(),
  /** Whether the payment provider is to give the money back: it is, if this is left out. */
  api_refund: boolean.nullish(),
  /** Whether the goods go back into stock: they do, if this is left out. */
  api_restock: boolean.nullish(),
  meta_data: listOf(z.object({ id: integer.optional(), key: text.optional(), value: mixed })).nullish(),
  line_items: mixed,
})

export type RefundInput = z.infer<typeof RefundInput>

const Numeric = z.union([z.number(), z.string().regex(/^-?\d+(\.\d+)?$/)]).transform(String)

const Line = z.object({
  id: z.coerce.number().int(),
  quantity: z.coerce.number().catch(0),
  refund_total: Numeric.optional(),
  refund_tax: z.array(z.object({ id: z.coerce.number().int(), refund_total: Numeric })).catch([]),
})

export type RefundLineInput = z.infer<typeof Line>

/** The lines of a refund as WooCommerce takes them: where one has no id, none of them counts. */
export function refundLines(given: unknown): RefundLineInput[] {
  return z.array(Line).safeParse(given).data ?? []
}
