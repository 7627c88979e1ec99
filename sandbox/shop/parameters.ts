import { z } from 'zod'
import { RestError } from './rest-error.ts'

/** The fault of one value, in WordPress's words; `%s` stands for the parameter's name. */
interface Complaint {
  code: string
  message: string
}

type Reading<T> = { value: T } | Complaint

/** Text. WordPress takes no number here: the total of a line is `"10.00"`, never `10.00`. */
export const text = leaf<string>((value) => (typeof value === 'string' ? { value } : wrongType('string')))

/** Anything at all. */
export const mixed = z.unknown().optional()

/** A whole number, or text of one. */
export const integer = leaf<number>(readInteger)

export const boolean = leaf<boolean>((value) => {
  if (value === true || value === 1 || value === '1' || value === 'true') return { value: true }
  if (value === false || value === 0 || value === '0' || value === 'false') return { value: false }
  return wrongType('boolean')
})

/** An e-mail address or null; an empty text is neither, and refused. */
export const email = leaf<string | null>((value) => {
  if (value === null) return { value }
  if (typeof value !== 'string') return wrongType('string,null')
  const valid = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(value)
  return valid ? { value } : { code: 'rest_invalid_email', message: 'Invalid email address.' }
})

/** A date with its time, as WordPress tells one: the zone may be left out, the time may not. */
export const dateTime = leaf<string>((value) => {
  if (typeof value !== 'string') return wrongType('string')
  const valid = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d(:?\d\d)?)?$/.test(value)
  return valid ? { value } : { code: 'rest_invalid_date', message: 'Invalid date.' }
})

/** A list of ids, also as `1,2,3`; WordPress checks nothing here, what is no number is 0. */
export const idList = z
  .unknown()
  .transform((value) => parts(value).map((part) => Math.abs(Number.parseInt(part, 10)) || 0))

/** A list of words, also as `a,b`. */
export const wordList = z.unknown().transform(parts)

/** A whole number within bounds, both included. */
export function integerWithin(minimum: number, maximum?: number) {
  return leaf<number>((value) => {
    const read = readInteger(value)
    if (!('value' in read) || (read.value >= minimum && read.value <= (maximum ?? Infinity))) return read
    const bounds =
      maximum === undefined
        ? `greater than or equal to ${minimum}`
        : `between ${minimum} (inclusive) and ${maximum} (inclusive)`
    return { code: 'rest_out_of_bounds', message: `%s must be ${bounds}` }
  })
}

/** One of these words. */
export function oneOf<Word extends string>(...words: readonly Word[]) {
  return leaf<Word>((value) => {
    const found = words.find((word) => word === value)
    if (found !== undefined) return { value: found }
    const listed = `${words.slice(0, -1).join(', ')}${words.length > 2 ? ',' : ''} and ${words.at(-1)}`
    return { code: 'rest_not_in_enum', message: `%s is not one of ${listed}.` }
  })
}

/** A list, also as `a,b`, of which each element is checked. */
export function listOf<Element extends z.ZodType>(element: Element) {
  return z.preprocess((value) => (typeof value === 'string' ? parts(value) : value), z.array(element))
}

/**
 * The parameters of a request as the schema reads them; what it does not name is ignored, as WordPress does. Throws
 * RestError `rest_missing_callback_param` or `rest_invalid_param`, which tells the first fault of each parameter.
 */
export function readParameters<T>(given: Record<string, unknown>, schema: z.ZodType<T>, required: string[] = []): T {
  const missing = required.filter((name) => given[name] === undefined || given[name] === null)
  if (missing.length > 0) {
    const message = `Missing parameter(s): ${missing.join(', ')}`
    throw new RestError(400, 'rest_missing_callback_param', message, { params: missing })
  }
  const result = schema.safeParse(given)
  if (result.success) return result.data
  const params: Record<string, string> = {}
  const details: Record<string, unknown> = {}
  for (const issue of result.error.issues) {
    const parameter = String(issue.path[0])
    if (parameter in params) continue
    const { code, message } = complaintOf(issue)
    const path = `${parameter}${issue.path
      .slice(1)
      .map((step) => `[${String(step)}]`)
      .join('')}`
    params[parameter] = message.replace('%s', path)
    details[parameter] = {
      code,
      message: params[parameter],
      data: code === 'rest_invalid_type' ? { param: path } : null,
    }
  }
  const message = `Invalid parameter(s): ${Object.keys(params).join(', ')}`
  throw new RestError(400, 'rest_invalid_param', message, { params, details })
}

function complaintOf(issue: z.core.$ZodIssue): Complaint {
  if (issue.code === 'custom') return { code: String(issue.params?.code), message: issue.message }
  return wrongType(issue.code === 'invalid_type' ? issue.expected : 'object')
}

function leaf<T>(read: (value: unknown) => Reading<T>) {
  return z.unknown().transform((value, context): T => {
    const result = read(value)
    if ('value' in result) return result.value
    context.issues.push({ code: 'custom', message: result.message, params: { code: result.code }, input: value })
    return z.NEVER
  })
}

function readInteger(value: unknown): Reading<number> {
  const number = typeof value === 'string' && /^\s*[+-]?\d+(\.0*)?$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) ? { value: number } : wrongType('integer')
}

function wrongType(type: string): Complaint {
  return { code: 'rest_invalid_type', message: `%s is not of type ${type}.` }
}

function parts(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String)
  return typeof value === 'string' ? value.split(/[\s,]+/).filter((part) => part !== '') : []
}
