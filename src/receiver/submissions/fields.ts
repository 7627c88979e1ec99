import { z } from 'zod'
import { type Disagreement, inJson, issuesOf, plainWords } from '../../config/reading/issues.ts'
import { isMap, noSuchField, type Path, pathText, shownKey, valueAt } from '../../config/schema/schemas-at.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import { isId } from '../../domain/values/field.ts'
import { parseDecimal, toNumber } from '../../domain/values/money.ts'
import { InexactNumber } from './body/typed-json.ts'

/*
 * The fields that resources have in common. An `error` completes the sentence "found …, expected …"; what comes out is
 * as domain/catalogue/submitted.ts has it: trimmed text, decimal text, ids as text, times in UTC.
 */

/** How long a key or a name may be (signs). */
const LONGEST = 200

/** A key or a name: not empty. */
export const Name = z.string().trim().min(1).max(LONGEST)

/** What something is told by: a name that is not empty, nor nothing but zeros (domain/values/id.ts). */
export const Key = Name.refine((key) => key.trim() === '' || isId(key), {
  error: 'a key that tells one from another: zeros are none',
})

/** The same where it may be left out: zeros are as good as nothing. */
export const OptionalKey = Name.nullish().transform(unlessZero)

export const Text = z.string().max(10_000)

/** Text of a person or an address. Null and nothing are the same; what was written is never shown (see fault.ts). */
export const Line = z.string().trim().max(500).nullish()

const AnyId = z
  .union([z.int(), z.string().trim().min(1).max(100)], { error: 'an id: a whole number, or text' })
  .transform(String)

/** An id of the platform that has to be there: 0 is none. */
export const Id = AnyId.refine(isId, { error: 'an id: a whole number other than 0, or text' })

/** An id of the platform that may be left out: programs write 0 or a GUID of zeros where there is none. */
export const OptionalId = AnyId.nullish().transform(unlessZero)

/** What was given; nothing but zeros is as good as nothing. */
export function unlessZero(given: string | null | undefined): string | null | undefined {
  return typeof given === 'string' && !isId(given) ? undefined : given
}

/** A web address; it is handed on, never fetched by the hub. */
export const Url = z.url({ protocol: /^https?$/, error: 'an http or https URL' }).max(2_000)

/** A time with its zone, kept in UTC, so that the same instant is the same however it is written. */
export const Time = z.iso
  .datetime({ offset: true, error: 'a date and time with its zone, such as 2026-01-31T09:30:00Z or …+01:00' })
  .transform((text) => new Date(text).toISOString())

/** The same, kept as it is written: where the wall clock of the sender matters. */
export const TimeAsWritten = z.iso.datetime({
  offset: true,
  error: 'a date and time with its zone, such as 2026-01-31T09:30:00+01:00',
})

export const Currency = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z]{3}$/, { error: 'a currency of three letters, such as NOK' })

export const Day = z.iso.date({ error: 'a day, such as 1985-05-17' })

/** Keeps what was given. Null is as good as nothing: many systems write it for what they do not have. */
export function compact<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const kept: Partial<T> = {}
  for (const key in values) if (values[key] !== undefined && values[key] !== null) kept[key] = values[key]
  return kept as { [K in keyof T]?: NonNullable<T[K]> }
}

const DECIMAL_TEXT = /^\s*[+-]?\d{1,30}(\.\d{1,30})?\s*$/
const DECIMAL = 'a decimal: a number, or text such as "1399.50"'

/** An exact decimal: a number as typed, or text. Text with more digits than the platform's JSON can hold is refused too. */
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

/** A share of 1, or percent: the platform takes 0.25 and 25 for the same. */
export const VatRate = Decimal.refine((decimal) => !decimal.startsWith('-') && Number(decimal) <= 100, {
  error: 'a rate of VAT: 0.25 or 25, both are 25 percent',
})

/** A price: 0 or more. */
export const Price = Decimal.refine((decimal) => !decimal.startsWith('-'), { error: 'a price of 0 or more' })

export const Gtin = z
  .string()
  .trim()
  .min(1)
  .max(50)
  .describe('The EAN or GTIN of the size, as text: it may begin with 0.')

/** Instead of a GTIN. */
export const FreightFlag = z
  .literal(true)
  .nullish()
  .describe('true: this line is freight. The hub asks the platform for the article that it names freight by.')

/** The goods of a line: a size by its GTIN, or freight, but not both. Told together with the other faults. */
export function namesGoods(name: 'gtin' | 'identity') {
  return {
    check: (line: Record<string, unknown>) => ((line[name] ?? null) !== null) !== (line.freight === true),
    told: {
      path: [name],
      error: `the GTIN of what was sold, or freight: true`,
      when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
    },
  }
}

type Check = (value: Record<string, unknown>) => boolean
type Told = { error: string; when(payload: { value: unknown }): boolean }

/**
 * For `refine(...)`: exactly one of these fields is given, since nobody knows which of two would win. Told together with what else
 * is wrong.
 */
export function exactlyOne(...names: [string, string, ...string[]]): [Check, Told] {
  const listed = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  return [
    (value) => names.filter((name) => (value[name] ?? null) !== null).length === 1,
    { error: `exactly one of ${listed}`, when: ({ value }) => isMap(value) },
  ]
}

/** The fields that name the product of a price. */
export const pricedProduct = {
  productExtId: OptionalKey.describe('What the sender knows the variant by. Preferred: a price holds for a variant.'),
  gtin: Gtin.nullish().describe('The EAN or GTIN of one of its sizes, instead: the price is that of the variant.'),
  productId: OptionalId.describe("The platform's own id of the variant, instead."),
}

export const ONE_PRODUCT = exactlyOne('productExtId', 'gtin', 'productId')

/** Fields that hold people: their faults name the field, and show nothing of what is in it. */
export type IsPrivate = (path: Path) => boolean

/** No field is private: none is about a person or money. */
export const nothingPrivate: IsPrivate = () => false

/** A fault, in words: where it is, what was found there, and what is expected. */
export function fault(at: Path, found: string, expected: string): string {
  return `${at.length > 0 ? `${pathText(at)}: ` : ''}found ${found}, expected ${expected}`
}

/** The value that was written, as far as it may be shown. */
export function found(value: unknown, hidden = false): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (value instanceof InexactNumber) return hidden ? 'a number' : value.typed.slice(0, 60)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object') return 'an object'
  if (value === '') return 'empty text'
  if (hidden) return typeof value === 'string' ? 'text' : `a ${typeof value}`
  if (typeof value !== 'string') return String(value)
  return value.length > 60 ? `${JSON.stringify(value.slice(0, 57))}…` : JSON.stringify(value)
}

function sentence(one: Disagreement, schema: z.ZodType, value: unknown, isPrivate: IsPrivate, at: Path): string {
  if (one.about === 'unknown-key') {
    const written = [...at, ...one.path.slice(0, -1), shownKey(one.path)]
    return `${pathText(written)}: ${noSuchField(schema, one.path)}`
  }
  return fault([...at, ...one.path], found(valueAt(value, one.path), isPrivate(one.path)), inJson(one.expected))
}

export type Checked<T> = { value: T } | { faults: string[] }

/** An item with more faults than this is not the format that it claims to be. */
export const MOST_FAULTS = 100

/** The most entries that a list of an item may have: an order, a delivery, the sizes of a product. Each is checked, which takes time. */
const MOST_ENTRIES = 5_000

/** Checks a value. `at` is where it stands, for the sentences; lists that are checked one by one elsewhere have no end here. */
export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
  isPrivate: IsPrivate,
  at: Path = [],
  mostEntries = MOST_ENTRIES,
): Checked<z.output<S>> {
  const long = longList(value, mostEntries, at)
  if (long) return { faults: [long] }
  const parsed = schema.safeParse(value, { error: plainWords })
  if (parsed.success) return { value: parsed.data }
  const disagreements = issuesOf(parsed.error.issues).slice(0, MOST_FAULTS)
  const faults = disagreements.map((one) => sentence(one, schema, value, isPrivate, at))
  return { faults: [...new Set(faults)] }
}

/**
 * Some fields of a value whose whole is not right, where these are; null: they are not either. So what depends on them
 * alone can be checked all the same: everything that is wrong is told at once.
 */
export function partOf<S extends z.ZodRawShape, Name extends keyof S & string>(
  schema: z.ZodObject<S>,
  names: readonly Name[],
  value: unknown,
): { [K in Name]: z.output<S[K]> } | null {
  if (!isMap(value)) return null
  const part: Record<string, unknown> = {}
  for (const name of names) {
    const of = schema.shape[name]
    const parsed = of && z.safeParse(of, value[name])
    if (!parsed?.success) return null
    part[name] = parsed.data
  }
  return part as { [K in Name]: z.output<S[K]> }
}

/** The first list that has more entries than it may; null: none. An item is not nested deep, so neither is what looks at it. */
function longList(value: unknown, most: number, at: Path, depth = 0): string | null {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return null
  if (Array.isArray(value) && value.length > most)
    return fault(at, `a list of ${value.length}`, `${most} entries at most`)
  for (const [key, inner] of Object.entries(value)) {
    const found = longList(inner, most, [...at, Array.isArray(value) ? Number(key) : key], depth + 1)
    if (found) return found
  }
  return null
}

const DEEPEST = 6
