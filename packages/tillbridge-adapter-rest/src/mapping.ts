import { Buffer } from 'node:buffer'
import {
  checkedText,
  type Decimal,
  type ExpressionFault,
  evaluate,
  type HttpRequest,
  isId,
  isNoFunction,
  Off,
  PermanentError,
  parseDecimal,
  RetryLaterError,
  SET_BY_CONNECTION,
  syntaxFault,
} from 'tillbridge/adapter'
import { z } from 'zod'

export class MappingError extends Error {
  override name = 'MappingError'
  readonly place: readonly string[]
  /** JSONata's message may show data: for samples only. */
  readonly fault: ExpressionFault | null
  constructor(message: string, fault: ExpressionFault | null = null, place: readonly string[] = []) {
    super(message)
    this.fault = fault
    this.place = place
  }
}

export function at<T>(place: string, execute: () => T): T {
  try {
    return execute()
  } catch (error) {
    throw error instanceof MappingError ? new MappingError(error.message, error.fault, [place, ...error.place]) : error
  }
}

export function shownFault({ code, message, position }: ExpressionFault): string {
  const words = isNoFunction({ code }) ? 'there is no such function' : (message.split('\n')[0] ?? '')
  return position === null ? words : `${words} (at character ${position})`
}

/** Its errors name the place in config, and show no data. */
export async function mapped<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw withoutData(error, where)
  }
}

export function withoutData(error: unknown, where: string): unknown {
  if (!(error instanceof MappingError)) return error
  const { message, fault, place } = error
  const position = fault?.position ? ` at character ${fault.position}` : ''
  const why = fault ? ` (JSONata ${fault.code}${position})` : ''
  return new PermanentError(`${[where, ...place].join('.')}: ${message}${why}`, { code: 'bad-mapping' })
}

export function resultOf(expression: string, input: object): unknown {
  const result = evaluate(expression, input)
  if ('fault' in result) throw new MappingError('it cannot be evaluated', result.fault)
  return result.value
}

export function holds(expression: string, input: object): boolean {
  const value = resultOf(expression, input)
  if (Array.isArray(value)) return value.length > 0
  if (value !== null && typeof value === 'object') return Object.keys(value).length > 0
  return Boolean(value)
}

export function idOf(expression: string, input: object): string | null {
  return asId([resultOf(expression, input)].flat()[0])
}

export function idsOf(expression: string, input: object): string[] {
  return listOf(expression, input).flatMap((value) => asId(value) ?? [])
}

function asId(value: unknown): string | null {
  if (typeof value === 'number') return value === 0 ? null : String(withAllDigits(value))
  return typeof value === 'string' && isId(value) ? value.trim() : null
}

function hasAllDigits(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER
}

function withAllDigits(value: number): number {
  if (hasAllDigits(value)) return value
  throw new MappingError('it gives a number beyond 2^53, whose last digits are lost: give it as text, without $number')
}

/** JSONata unwraps lists of one. */
export function listOf(expression: string, input: object): unknown[] {
  const value = resultOf(expression, input)
  return value === undefined || value === null ? [] : [value].flat()
}

function textFault(text: string): string | null {
  for (const piece of piecesOf(text)) {
    if (typeof piece === 'string') {
      if (/\{\{|\}\}/.test(piece)) return 'Has {{ without }}, or the other way round.'
    } else {
      const fault = syntaxFault(piece.expression)
      if (fault) return `{{${piece.expression}}} is not JSONata: ${shownFault(fault)}.`
    }
  }
  return null
}

/** Escapes each expression for its place. Throws a MappingError where one gives nothing: the request would be about something else. */
function fillText(text: string, input: object, safe: (value: string) => string): string {
  return piecesOf(text)
    .map((piece) => (typeof piece === 'string' ? piece : safe(given(piece.expression, input))))
    .join('')
}

function fillTextOrNull(text: string, input: object): string | null {
  const [only, ...others] = piecesOf(text)
  const isOne = typeof only === 'object' && others.length === 0
  if (isOne && textOf(only.expression, input) === '') return null
  return fillText(text, input, (value) => value)
}

function given(expression: string, input: object): string {
  const value = textOf(expression, input)
  if (value === '') throw new MappingError(`{{${expression}}} gives nothing`)
  return value
}

function textOf(expression: string, input: object): string {
  const result = evaluate(expression, input)
  if ('fault' in result) throw new MappingError(`{{${expression}}} cannot be evaluated`, result.fault)
  const { value } = result
  if (value === undefined || value === null) return ''
  if (typeof value === 'object') throw new MappingError(`{{${expression}}} gives a list or an object`)
  return String(typeof value === 'number' ? withAllDigits(value) : value)
}

function piecesOf(text: string): (string | { expression: string })[] {
  const pieces: (string | { expression: string })[] = []
  let end = 0
  for (;;) {
    const begin = text.indexOf('{{', end)
    const close = begin < 0 ? -1 : text.indexOf('}}', begin + 2)
    if (close < 0) break
    if (begin > end) pieces.push(text.slice(end, begin))
    pieces.push({ expression: text.slice(begin + 2, close).trim() })
    end = close + 2
  }
  return end < text.length ? [...pieces, text.slice(end)] : pieces
}

const Expression = checkedText((text) => {
  const fault = syntaxFault(text)
  return fault && `Is not JSONata: ${shownFault(fault)}.`
})

const Text = checkedText(textFault)
const HeaderName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'Is not a header name.')
  .refine(
    (name) => !SET_BY_CONNECTION.test(name) && !/^authorization$/i.test(name),
    'Is set by Tillbridge and cannot be changed here.',
  )

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const request = {
  path: checkedText((text) =>
    text.startsWith('/') ? textFault(text) : 'Must begin with /: it follows the url.',
  ).describe(
    'What follows the url. {{JSONata}} in it is filled in and percent-encoded; one that gives nothing is an error.',
  ),
  query: z
    .record(z.string().min(1), Text)
    .optional()
    .describe(
      'Parameters of the query, as texts with {{JSONata}}. One that is nothing but JSONata without a result is left out.',
    ),
  headers: z
    .record(HeaderName, Text)
    .optional()
    .describe(
      'Headers of this request, as texts with {{JSONata}}. One that is nothing but JSONata without a result is left out.',
    ),
  type: z.enum(['json', 'form']).default('json').describe('What the body is: json or form (URL-encoded).'),
  body: Expression.optional().describe('JSONata that makes the body. Without it there is none.'),
  statuses: z
    .record(
      z.string().regex(/^[2-5]\d\d$/, 'Must be a status: 409.'),
      z.enum(['done', 'permanent', 'later', 'unknown']),
    )
    .optional()
    .describe(
      'What a status means, where it is not as usual: done, permanent (never), later, or unknown (it may have happened).',
    ),
  refusedWhen: Expression.optional().describe(
    'JSONata over a good answer: true where it says that this will never work.',
  ),
  laterWhen: Expression.optional().describe('JSONata over a good answer: true where it says that this may work later.'),
}

const method = z.enum(METHODS)

export const Request = z.strictObject({
  method: method.default('POST').describe('The HTTP method; POST by default.'),
  ...request,
})

export const Read = z.strictObject({
  method: method.default('GET').describe('The HTTP method; GET by default.'),
  ...request,
})

const Effect = z.strictObject({
  when: Expression.optional().describe(
    'Of several requests: JSONata that says whether it is this one. The first counts.',
  ),
  ...Request.shape,
  link: Expression.optional().describe("JSONata over the answer: the system's own id of what was made."),
  idempotent: Off.describe(
    'true: the system promises that the same request twice does no more than once (an idempotency key).',
  ),
  find: z
    .strictObject({
      ...Read.shape,
      found: Expression.describe(
        "JSONata over the answer: the system's own id of what is there, or true. Nothing: it is not there.",
      ),
    })
    .optional()
    .describe('How to look whether the effect of an uncertain try is there.'),
})

export const Effects = z.union([Effect, z.array(Effect).min(1).max(10)])

export const Search = z.strictObject({
  ...Read.shape,
  answer: Expression.describe('JSONata over the answer: what was found, in the hub’s form.'),
})

export const Levels = z.strictObject({
  ...Read.shape,
  first: z.union([z.string(), z.int()]).optional().describe('What `page` is at first. Without it, nothing.'),
  answer: Expression.describe(
    'JSONata over the answer: { levels, next }. `levels` is a list of { gtin, sku, level }; `next` what `page` is next, nothing after the last.',
  ),
})

export const Poll = z.strictObject({
  ...Read.shape,
  first: z.string().optional().describe('What `cursor` is the first time.'),
  items: Expression.describe(
    'JSONata over the answer: what is new, as a list of { resource, key, theirId, place, value }.',
  ),
  cursor: Expression.describe('JSONata over the answer: where to go on next time. Nothing: where it was.'),
  more: Expression.optional().describe('JSONata over the answer: true where there is more at once.'),
})

export type RequestTemplate = z.output<typeof Request>
export type EffectTemplate = z.output<typeof Effect>
export type SearchTemplate = z.output<typeof Search>
export type LevelsTemplate = z.output<typeof Levels>
export type PollTemplate = z.output<typeof Poll>

const Plain = z.union([z.string(), z.number().refine(hasAllDigits)]).transform((value) => String(value).trim())
export const Needed = Plain.refine((text) => text !== '')
export const Optional = Plain.nullish().transform((text) => text || null)

export const Amount = z.unknown().transform((value, context): Decimal => {
  try {
    return parseDecimal(value)
  } catch {
    context.addIssue({ code: 'custom' })
    return z.NEVER
  }
})

export function listOfAll<Item extends z.ZodType>(item: Item) {
  return z.preprocess((value) => (value === undefined || value === null ? [] : [value].flat()), z.array(item))
}

export function parsed<Value>(where: string, value: unknown, schema: z.ZodType<Value>): Value {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw badAnswer(where, placesOf(result.error))
}

type Entry<Value> = { value: Value } | { unreadable: unknown; error: z.ZodError }

/** Unreadable entries fail no others, unless all are: then the mapping is wrong. */
export function parseEach<Value>(
  where: string,
  entries: readonly unknown[],
  schema: z.ZodType<Value>,
  list?: string,
): Entry<Value>[] {
  const read = entries.map((entry): Entry<Value> => {
    const { success, data, error } = schema.safeParse(entry)
    return success ? { value: data } : { unreadable: entry, error }
  })
  const places = read.flatMap((entry, index) =>
    'error' in entry ? placesOf(entry.error, [...(list === undefined ? [] : [list]), index]) : [],
  )
  if (places.length > 0 && read.every((entry) => 'error' in entry)) throw badAnswer(where, places)
  return read
}

const SHOWN = 20

/** What a mapping gives lacks these places. */
export function badAnswer(where: string, places: readonly string[]): PermanentError {
  const all = [...new Set(places)]
  const more = all.length > SHOWN ? ` and ${all.length - SHOWN} more` : ''
  return new PermanentError(
    `${where} gives something that lacks these, or has them in another form: ${all.slice(0, SHOWN).join(', ')}${more}`,
    { code: 'bad-answer' },
  )
}

export function placesOf(error: z.ZodError, before: readonly PropertyKey[] = []): string[] {
  return error.issues.map(({ path }) => [...before, ...path].join('.') || 'the whole')
}

export interface BuiltRequest extends Pick<HttpRequest, 'method' | 'path'> {
  headers: Record<string, string>
  body: Buffer | null
  shown: string
}

type Template = Omit<RequestTemplate, 'statuses' | 'refusedWhen' | 'laterWhen'>

export function buildRequest(template: Template, input: object): BuiltRequest {
  const { method, path, type, body } = template
  const sent = body === undefined ? null : at('body', () => bodyOf(body, type, input))
  const ownType = type === 'json' ? 'application/json' : 'application/x-www-form-urlencoded'
  const filled = at('path', () => pathOf(path, input))
  const query = queryOf(template, input)
  return {
    method,
    path: [filled, query].filter(Boolean).join(filled.includes('?') ? '&' : '?'),
    shown: path.replace(/\?.*$/s, ''),
    headers: { ...(sent !== null && { 'content-type': ownType }), ...headersOf(template, input) },
    body: sent === null ? null : Buffer.from(sent),
  }
}

function pathOf(written: string, input: object): string {
  const path = fillText(written, input, (value) => encodeURIComponent(value.toWellFormed()))
  if (!/^[\x21\x22\x24-\x7e]+$/.test(path))
    throw new MappingError('has a sign that must be percent-encoded (a space, #, å)')
  const [folders = ''] = path.split('?')
  if (folders.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part)))
    throw new MappingError('leads to another folder (. or ..)')
  return path
}

function queryOf({ query = {} }: Template, input: object): string {
  const given = entriesOf('query', query, input)
  return given
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`)
    .join('&')
}

function headersOf({ headers = {} }: Template, input: object): Record<string, string> {
  // Percent-encoded: a line break would begin another header.
  const safe = (value: string) => value.toWellFormed().replace(/[^\x20-\x7e]/gu, (sign) => encodeURIComponent(sign))
  const given = entriesOf('headers', headers, input)
  return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), safe(value)]))
}

function entriesOf(place: string, written: Record<string, string>, input: object): [name: string, value: string][] {
  return Object.entries(written).flatMap(([name, text]): [string, string][] => {
    const value = at(place, () => at(name, () => fillTextOrNull(text, input)))
    return value === null ? [] : [[name, value]]
  })
}

function bodyOf(expression: string, type: 'json' | 'form', input: object): string {
  const value = resultOf(expression, input)
  if (value === undefined) throw new MappingError('it gives nothing')
  return type === 'json' ? JSON.stringify(value, exact) : formOf(value)
}

function exact(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? withAllDigits(value) : value
}

function formOf(value: unknown): string {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new MappingError('a form must be made of an object')
  const fields = Object.entries(value).flatMap(([name, each]) => [each].flat().map((one) => [name, one] as const))
  if (fields.some(([, one]) => one !== null && typeof one === 'object'))
    throw new MappingError('a form is flat: it has no objects in it')
  return new URLSearchParams(
    fields.filter(([, one]) => one !== null).map(([name, one]): [string, string] => [name, String(exact(name, one))]),
  ).toString()
}

export function refuseWhenSaid(where: string, template: RequestTemplate, over: object): void {
  const { refusedWhen, laterWhen } = template
  if (refusedWhen !== undefined && at('refusedWhen', () => holds(refusedWhen, over)))
    throw new PermanentError(`${where}: the answer says that it was refused`, { code: 'refused', mayBeWide: true })
  if (laterWhen !== undefined && at('laterWhen', () => holds(laterWhen, over)))
    throw new RetryLaterError(`${where}: the answer says that it may work later`, { code: 'refused-for-now' })
}
