import { z } from 'zod'

/** Drivers give numbers as text, or as numbers. */
const text = z.union([z.string(), z.number()]).transform(String)
const count = z.coerce.number().int()

const Row = z.object({
  key: text,
  count,
  amount: text.nullish().transform((amount) => amount ?? null),
  currency: text.nullish().transform((currency) => currency ?? null),
})

const Twin = z.object({ key: text, count, day: text })

/** A row of counts as the driver gives it. */
export function talliedRow(row: unknown): z.output<typeof Row> {
  return Row.parse(row)
}

/** A row of a fact that is there several times, as the driver gives it. */
export function twinRow(row: unknown): z.output<typeof Twin> {
  return Twin.parse(row)
}
