import type { HttpRequest } from './http.ts'
import type { HttpAnswer } from './http-exchange.ts'
import { jsonTextOf } from './json-text.ts'

const LARGEST = 65_536

const MOST_NAMES = 8

/**
 * What of a refusal may be logged: machine code and field names, `rest_invalid_param (billing.email)`; without a code its type, length
 * and the request's fields it names. Never its words or any value sent: they may be personal data.
 */
export function saidIn(answer: HttpAnswer, request: Pick<HttpRequest, 'path' | 'body'>): string {
  if (answer.body.length === 0) return ''
  const text = answer.body.length > LARGEST ? '' : jsonTextOf(answer.body)
  const json = text === '' ? undefined : parsed(text)
  const sent = sentIn(request)
  const isTheirs = (word: string) => !sent.values.has(word.toLowerCase())
  const code = codesIn(json).filter(isTheirs).join(', ')
  const listed = shown(namesIn(json).filter(isTheirs))
  if (code) return listed ? `${code} (${listed})` : code
  const names = listed || shown(named(json === undefined ? text : valuesOf(json), sent))
  return names ? `${sizeOf(answer)}; it names ${names}` : sizeOf(answer)
}

/** True if the refusal lists field errors: its author has read the request. */
export function listsFaults({ body }: Pick<HttpAnswer, 'body'>): boolean {
  return body.length > 0 && body.length <= LARGEST && faultsIn(parsed(jsonTextOf(body))).length > 0
}

function shown(names: string[]): string {
  return names.length > MOST_NAMES ? '' : names.join(', ')
}

function named(words: string, { names }: Sent): string[] {
  const said = new Set(words.toLowerCase().match(/[a-z_]\w*/g))
  // Short names (`to`, `id`) are ordinary words.
  return names.filter((name) => name.length > 2 && isName(name) && said.has(name.toLowerCase()))
}

function valuesOf(json: unknown): string {
  const texts: string[] = []
  const open = [json]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') texts.push(value)
    else if (value !== null && typeof value === 'object') for (const inner of Object.values(value)) open.push(inner)
  }
  return texts.join(' ')
}

function sizeOf({ headers, body, complete }: HttpAnswer): string {
  const [type = ''] = String(headers['content-type'] ?? '').split(';')
  const size = `${complete ? '' : 'more than '}${body.length} bytes`
  return /^[a-z]+\/[a-z.+-]{1,60}$/.test(type.trim()) ? `${type.trim()}, ${size}` : size
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** RFC 9457 (`type`), RFC 6749 (`error`), and common names. */
const CODES = ['code', 'errorCode', 'error_code', 'category', 'type', 'error', 'status'] as const

/** Wrappers of an error. */
const WITHIN = ['error', 'odata.error', 'fault'] as const

/** Objects keyed by field: WordPress, ASP.NET, Laravel. */
const BY_NAME = ['params', 'errors', 'ModelState', 'fields', 'fieldErrors'] as const

const LISTS = ['errors', 'details', 'detail', 'violations', 'invalid-params', 'issues', 'fieldErrors'] as const

/** Keys naming the field. */
const PLACES = ['field', 'path', 'pointer', 'property', 'propertyPath', 'propertyName', 'param', 'parameter', 'loc']

const MAX_FAULTS = 100

/** Of the whole, else up to three of its list. */
function codesIn(answer: unknown): string[] {
  for (const part of partsOf(answer)) {
    const code = codeOf(part)
    if (code !== null) return [code]
  }
  const listed = entriesOf(answer, 'errors').flatMap(
    (entry) => codeOf(member(entry, 'extensions')) ?? codeOf(entry) ?? [],
  )
  return [...new Set(listed)].slice(0, 3)
}

function namesIn(answer: unknown): string[] {
  const told = placesIn(partsWithData(answer))
  return [...new Set([...faultsIn(answer), ...told])].filter(isName)
}

/** Without `path` of the whole answer, which is mostly the URL's. */
function faultsIn(answer: unknown): string[] {
  const parts = partsWithData(answer)
  const keyed = parts.flatMap((part) => BY_NAME.flatMap((name) => keysOf(member(part, name))))
  const entries = parts.flatMap((part) => LISTS.flatMap((name) => entriesOf(part, name)))
  return [...new Set([...keyed, ...placesIn(entries)])].filter(isName)
}

function placesIn(parts: readonly unknown[]): string[] {
  return parts.flatMap((part) => [part, member(part, 'source')]).flatMap(placesOf)
}

function partsWithData(answer: unknown): unknown[] {
  const data = member(answer, 'data')
  return [...partsOf(answer), ...(data === undefined ? [] : [data])]
}

/** The refusal itself, or one level deeper. */
function partsOf(answer: unknown): unknown[] {
  const whole = Array.isArray(answer) ? answer[0] : answer
  const within = WITHIN.map((name) => member(whole, name)).filter((part) => typeof part === 'object' && part !== null)
  return [...within, whole]
}

function codeOf(part: unknown): string | null {
  for (const name of CODES) {
    const code = member(part, name)
    if (typeof code === 'string' && isCode(code)) return code
    // `status: 400` adds nothing.
    if (typeof code === 'number' && Number.isInteger(code) && Math.abs(code) < 1e6 && name !== 'status')
      return String(code)
  }
  return null
}

function placesOf(part: unknown): string[] {
  return PLACES.flatMap((name) => {
    const place = member(part, name)
    if (typeof place === 'string') return place
    return Array.isArray(place) && place.length > 0 ? place.slice(0, 10).map(String).join('.') : []
  })
}

function keysOf(value: unknown): string[] {
  const isNamed = value !== null && typeof value === 'object' && !Array.isArray(value)
  return isNamed ? Object.keys(value).slice(0, MAX_FAULTS) : []
}

function entriesOf(value: unknown, name: string): unknown[] {
  const found = member(value, name)
  return Array.isArray(found) ? found.slice(0, MAX_FAULTS) : []
}

/** Case-insensitive. */
function member(value: unknown, name: string): unknown {
  if (value === null || typeof value !== 'object') return undefined
  if (Object.hasOwn(value, name)) return (value as Record<string, unknown>)[name]
  const key = Object.keys(value).find((one) => one.toLowerCase() === name.toLowerCase())
  return key === undefined ? undefined : (value as Record<string, unknown>)[key]
}

interface Sent {
  /** Nested ones too. */
  names: string[]
  /** Lower-case values and words: in an answer they are personal data. */
  values: ReadonlySet<string>
}

const MAX_SENT = 262_144

/** Query, and a JSON or form body. */
function sentIn({ path, body }: Pick<HttpRequest, 'path' | 'body'>): Sent {
  const names = new Set<string>()
  const values = new Set<string>()
  const open: unknown[] = [fieldsOf(path.replace(/^[^?]*\??/s, '')), bodyOf(body)]
  // Iterative: nesting is unbounded.
  while (open.length > 0) {
    const value = open.pop()
    if (value !== null && typeof value === 'object') {
      for (const [name, inner] of Object.entries(value)) {
        if (!Array.isArray(value)) names.add(name)
        open.push(inner)
      }
    } else if (typeof value === 'string') {
      const text = value.toLowerCase()
      values.add(text)
      for (const word of text.split(/[^\p{L}\p{N}_.-]+/u)) values.add(word)
    }
  }
  return { names: [...names], values }
}

function bodyOf(body: Uint8Array | null | undefined): unknown {
  if (!body || body.length > MAX_SENT) return null
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return fieldsOf(text)
  }
}

function fieldsOf(form: string): object {
  return Object.fromEntries(new URLSearchParams(form))
}

/** Enough digits for a phone, date of birth or card. */
const DIGITS = /(?:\d[-./:]?){6}/

const CODE = /^[A-Za-z0-9_.:/#-]{1,80}$/

const NAME = /^[A-Za-z_$/[][\w.$/[\]-]{0,79}$/

/** Looks like a machine code, not personal data. */
export function isCode(text: string): boolean {
  return CODE.test(text) && !DIGITS.test(text)
}

/** Looks like a field name or path: `billing.email`, `/lines/0/price`. */
function isName(text: string): boolean {
  return NAME.test(text) && !DIGITS.test(text)
}
