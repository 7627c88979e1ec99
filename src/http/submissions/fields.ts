import { z } from 'zod'
import { PermanentError } from '../../domain/values/errors.ts'
import { isId } from '../../domain/values/field.ts'
import { parseDecimal, toNumber } from '../../domain/values/money.ts'
import { isMap } from '../../lib/collections.ts'
import { InexactNumber } from '../../lib/json.ts'

/* Common fields. Output is as in domain/catalogue/submitted.ts: decimals and ids as text, times in UTC. */

const LONGEST = 200

export const Name = z.string().trim().min(1).max(LONGEST)

export const Key = Name.refine((key) => key.trim() === '' || isId(key), {
  error: 'a key that tells one from another: zeros are none',
})

export const OptionalKey = Name.nullish().transform(unlessZero)

export const Text = z.string().max(10_000)

export const Line = z.string().trim().max(500).nullish()

const AnyId = z
  .union([z.int(), z.string().trim().min(1).max(100)], { error: 'an id: a whole number, or text' })
  .transform(String)

export const Id = AnyId.refine(isId, { error: 'an id: a whole number other than 0, or text' })

/** Programs write 0 or a GUID of zeros for none. */
export const OptionalId = AnyId.nullish().transform(unlessZero)

export function unlessZero(given: string | null | undefined): string | null | undefined {
  return typeof given === 'string' && !isId(given) ? undefined : given
}

/** Never fetched by the hub. */
export const Url = z.url({ protocol: /^https?$/, error: 'an http or https URL' }).max(2_000)

/** In UTC: equal instants are equal texts. */
export const Time = z.iso
  .datetime({ offset: true, error: 'a date and time with its zone, such as 2026-01-31T09:30:00Z or …+01:00' })
  .transform((text) => new Date(text).toISOString())

export const TimeAsWritten = z.iso.datetime({
  offset: true,
  error: 'a date and time with its zone, such as 2026-01-31T09:30:00+01:00',
})

export const Currency = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z]{3}$/, { error: 'a currency of three letters, such as NOK' })

export const CountryCode = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z]{2}$/, { error: 'a country code of two letters, such as NO' })

export const Day = z.iso.date({ error: 'a day, such as 1985-05-17' })

const DECIMAL_TEXT = /^\s*[+-]?\d{1,30}(\.\d{1,30})?\s*$/
const DECIMAL = 'a decimal: a number, or text such as "1399.50"'

export const Decimal = z
  .union([z.number(), z.string().regex(DECIMAL_TEXT, { error: DECIMAL })], {
    error: ({ input }) =>
      input instanceof InexactNumber ? 'fewer digits: a JSON number cannot hold all of these exactly' : DECIMAL,
  })
  .transform((wire, context) => {
    try {
      const decimal = parseDecimal(wire)
      toNumber(decimal)
      return decimal
    } catch (error) {
      if (!(error instanceof PermanentError)) throw error
      const message = error.code === 'not-exact' ? 'fewer digits: the platform takes a JSON number' : DECIMAL
      context.issues.push({ code: 'custom', message, input: wire })
      return z.NEVER
    }
  })

export const VatRate = Decimal.refine((decimal) => !decimal.startsWith('-') && Number(decimal) <= 100, {
  error: 'a rate of VAT: 0.25 or 25, both are 25 percent',
})

export const Price = Decimal.refine((decimal) => !decimal.startsWith('-'), { error: 'a price of 0 or more' })

export const Pieces = Decimal.refine((qty) => Number(qty) > 0, { error: 'a quantity above 0' }).describe(
  'How many of the size.',
)

export const Gtin = z
  .string()
  .trim()
  .min(1)
  .max(50)
  .describe('The EAN or GTIN of the size, as text: it may begin with 0.')

export const FreightFlag = z
  .literal(true)
  .nullish()
  .describe('true: this line is freight. The hub asks the platform for the article that it names freight by.')

export type Refinement = [
  rule: (value: Record<string, unknown>) => boolean,
  fault: { path?: string[]; error: string; when?: (payload: { value: unknown }) => boolean },
]

/** Reported together with other faults. */
export const when = ({ value }: { value: unknown }) => isMap(value)

const given = (value: unknown) => value !== null && value !== undefined

export function namesGoods(name: 'gtin' | 'identity'): Refinement {
  return [
    (line) => given(line[name]) !== (line.freight === true),
    { path: [name], error: 'the GTIN of what was sold, or freight: true', when },
  ]
}

export function exactlyOne(...names: [string, string, ...string[]]): Refinement {
  return [
    (value) => names.filter((name) => given(value[name])).length === 1,
    { error: `exactly one of ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`, when },
  ]
}

export const pricedProduct = {
  productExtId: OptionalKey.describe('What the sender knows the variant by. Preferred: a price holds for a variant.'),
  gtin: Gtin.nullish().describe('The EAN or GTIN of one of its sizes, instead: the price is that of the variant.'),
  productId: OptionalId.describe("The platform's own id of the variant, instead."),
}

export const ONE_PRODUCT = exactlyOne('productExtId', 'gtin', 'productId')

export const whichStore = {
  storeNo: Name.nullish().describe('The number of the store, instead of storeId.'),
  storeId: OptionalId.describe("The platform's id of the store."),
  stockId: OptionalId.describe("Without it, the store's own stock."),
}

export const ONE_STORE = exactlyOne('storeNo', 'storeId')

export const whichStock = {
  stockId: OptionalId.describe("The platform's id of the stock."),
  stockNo: Name.nullish().describe('The number of the store whose stock it is, instead of stockId.'),
}

export const ONE_STOCK = exactlyOne('stockId', 'stockNo')

type Given<T> = { [K in keyof T as undefined extends T[K] ? never : null extends T[K] ? never : K]: Compact<T[K]> } & {
  [K in keyof T as undefined extends T[K] ? K : null extends T[K] ? K : never]?: Compact<NonNullable<T[K]>>
}

type Compact<T> = T extends string | number | boolean
  ? T
  : T extends readonly (infer Each)[]
    ? Compact<Each>[]
    : T extends object
      ? Given<T>
      : T

export function compact<T>(value: T): Compact<T> {
  if (Array.isArray(value)) return value.map((each) => compact(each)) as Compact<T>
  if (typeof value !== 'object' || value === null) return value as Compact<T>
  const entries = Object.entries(value).filter(([, inner]) => given(inner))
  return Object.fromEntries(entries.map(([name, inner]) => [name, compact(inner)])) as Compact<T>
}
