import { z } from 'zod'
import { type Decimal, parseDecimal } from '../../../domain/values/money.ts'
import { hasAllDigits } from './expression.ts'

/* What mappings of a config may give: texts and numbers, with blanks and nulls, as JSON has them. */

const Plain = z.union([z.string(), z.number().refine(hasAllDigits)]).transform((value) => String(value).trim())

/** A text that must be there; a number is one. */
export const Needed = Plain.refine((text) => text !== '')

/** A text, or nothing. */
export const Optional = Plain.nullish().transform((text) => text || null)

/** A decimal, as text or as a number. */
export const Amount = z.unknown().transform((value, context): Decimal => {
  try {
    return parseDecimal(value)
  } catch {
    context.addIssue({ code: 'custom' })
    return z.NEVER
  }
})

/** A list: JSONata gives a single one bare, and none as nothing. */
export function listOfAll<Item extends z.ZodType>(item: Item) {
  return z.preprocess((value) => (value === undefined || value === null ? [] : [value].flat()), z.array(item))
}

/** The places where a value is not as it must be. */
export function placesOf(error: z.ZodError): string {
  return [...new Set(error.issues.map(({ path }) => path.join('.') || 'the whole'))].join(', ')
}
