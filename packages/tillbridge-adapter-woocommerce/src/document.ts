import { z } from 'zod'

/** PHP writes `[]` for an empty object and an object for a list with gaps; plugins write `""`, `false` or null for nothing, and text for numbers. */

/** Also `[[], []]`. */
function isNone(value: unknown): boolean {
  return isEmpty(value) || (typeof value === 'object' && value !== null && Object.values(value).every(isEmpty))
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object') return value === null || Object.keys(value).length === 0
  return value === undefined || value === '' || value === false
}

const anything = z.unknown().optional()
export const id = z
  .union([z.number(), z.string().regex(/^\d{1,15}$/)], { error: 'expected an id' })
  .transform(Number)
  .pipe(z.number().int())

export const word = z
  .union([z.string(), z.number()], { error: 'expected text' })
  .transform((value) => String(value).trim())
  .pipe(z.string().min(1))

const AMOUNT = /^-?\d+(\.\d+)?$/
export const amount = z
  .union([z.string(), z.number()], { error: 'expected an amount' })
  .transform((value) => String(value).trim())
  .pipe(z.string().regex(AMOUNT, 'expected an amount'))

export const amountOrNone = orNone(amount, '0')
export const number = amount.transform(Number)
export const numberOrNone = orNone(number, 0)

export const flag = anything.transform((value): boolean | null => {
  if ([true, 1, '1', 'yes', 'true'].some((yes) => yes === value)) return true
  return [false, 0, '0', 'no', 'false'].some((no) => no === value) ? false : null
})

export function optional<T>(schema: z.ZodType<T>) {
  return anything.transform((value): T | null => (isNone(value) ? null : (schema.safeParse(value).data ?? null)))
}

export const text = optional(word)

export const textOrNone = orNone<string | null>(word, null)

export function orNone<T>(schema: z.ZodType<T>, none: T) {
  return anything.transform((value, context): T => (isNone(value) ? none : read(schema, value, context, [])))
}

/** Empty items are left out, unreadable ones are errors. */
export function list<T>(item: z.ZodType<T>) {
  return anything.transform((value, context): T[] => {
    if (isNone(value)) return []
    if (typeof value === 'object')
      return itemsOf(value).map(([key, one]) =>
        read(item, one, context, [Number.isNaN(Number(key)) ? key : Number(key)]),
      )
    context.addIssue({ code: 'custom', message: 'expected a list' })
    return z.NEVER
  })
}

export function readable<T>(item: z.ZodType<T>) {
  return anything.transform((value): T[] =>
    typeof value === 'object' ? itemsOf(value).flatMap(([, one]) => item.safeParse(one).data ?? []) : [],
  )
}

/** Every field is optional. */
export function part<Shape extends z.ZodRawShape>(shape: Shape) {
  const schema = z.object(shape)
  return anything.transform((value) => schema.safeParse(value).data ?? schema.parse({}))
}

function itemsOf(value: object | null): [string, unknown][] {
  return Object.entries(value ?? {}).filter(([, one]) => !isNone(one))
}

function read<T>(schema: z.ZodType<T>, value: unknown, context: z.RefinementCtx, at: PropertyKey[]): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  for (const { message, path } of parsed.error.issues)
    context.addIssue({ code: 'custom', message, path: [...at, ...path] })
  return z.NEVER
}

/** At any depth: WooCommerce refuses null for text. */
export function withoutNulls<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (_, given: unknown) => (given === null ? undefined : given)))
}
