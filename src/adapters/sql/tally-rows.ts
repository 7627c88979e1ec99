import { z } from 'zod'

/** Drivers give numbers as text, or as numbers. */
const text = z.union([z.string(), z.number()]).transform(String)

const Row = z.object({
  key: text,
  count: z.coerce.number().int(),
  amount: text.nullish().transform((amount) => amount ?? null),
  currency: text.nullish().transform((currency) => currency ?? null),
})

/** A row of counts as the driver gives it. */
export function talliedRow(row: unknown): z.output<typeof Row> {
  return Row.parse(row)
}
