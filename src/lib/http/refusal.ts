import type { HttpRequest } from './http.ts'
import type { HttpAnswer } from './http-exchange.ts'
import { jsonTextOf } from './json-text.ts'

/** A longer body is not taken apart (bytes). */
const LARGEST = 65_536

/** More names than this are no hint: the answer says the whole request back. */
const MOST_NAMES = 8

/**
 * The part of a refusal's body that may be kept, on one line: its machine code and the names of the fields that it is about,
 * `rest_invalid_param (billing.email)`; without a code, what kind of text it is, how long, and the fields of the request that it names. Its words may say anybody's
 * data back, so they are never kept, and neither is a word that was sent as a value. Empty where there is no body.
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

/** Whether a refusal lists what is wrong with the request, field by field: who answers so has read it, and may take another. */
export function listsFaults({ body }: Pick<HttpAnswer, 'body'>): boolean {
  return body.length > 0 && body.length <= LARGEST && faultsIn(parsed(jsonTextOf(body))).length > 0
}

function shown(names: string[]): string {
  return names.length > MOST_NAMES ? '' : names.join(', ')
}

/** The fields of the request that the words of a refusal name: mostly what is to be put right. */
function named(words: string, { names }: Sent): string[] {
  const said = new Set(words.toLowerCase().match(/[a-z_]\w*/g))
  // Names of one or two letters (`to`, `id`) are words of any sentence.
  return names.filter((name) => name.length > 2 && isName(name) && said.has(name.toLowerCase()))
}

/** All texts of JSON, without the names that they stand under. */
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

/** Undefined: it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Where APIs put the code of a refusal: RFC 9457 (`type`), RFC 6749 (`error`), and what is usual. */
const CODES = ['code', 'errorCode', 'error_code', 'category', 'type', 'error', 'status'] as const

/** Where they put what is refused, besides the answer itself. */
const WITHIN = ['error', 'odata.error', 'fault'] as const

/** Objects whose members are named after the fields that are wrong: WordPress, ASP.NET, Laravel. */
const BY_NAME = ['params', 'errors', 'ModelState', 'fields', 'fieldErrors'] as const

/** Lists with an entry for each fault. */
const LISTS = ['errors', 'details', 'detail', 'violations', 'invalid-params', 'issues', 'fieldErrors'] as const

/** How an entry of such a list, or a refusal of one field, says which field it is about. */
const PLACES = ['field', 'path', 'pointer', 'property', 'propertyPath', 'propertyName', 'param', 'parameter', 'loc']

/** More faults than this are not looked through. */
const MAX_FAULTS = 100

/** The machine codes of a refusal: that of the whole, else up to three of its list of errors. */
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

/** The fields that a refusal lists as wrong, each once, in its order. */
function namesIn(answer: unknown): string[] {
  const told = placesIn(partsWithData(answer))
  return [...new Set([...faultsIn(answer), ...told])].filter(isName)
}

/** The same, without what may be no field of the request: the `path` of a whole answer is mostly that of the URL. */
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

/** A refusal stands in the answer itself, or one member deeper; in a list, where a server wraps everything in one. */
function partsOf(answer: unknown): unknown[] {
  const whole = Array.isArray(answer) ? answer[0] : answer
  const within = WITHIN.map((name) => member(whole, name)).filter((part) => typeof part === 'object' && part !== null)
  return [...within, whole]
}

function codeOf(part: unknown): string | null {
  for (const name of CODES) {
    const code = member(part, name)
    if (typeof code === 'string' && isCode(code)) return code
    // `status: 400` says no more than the status line.
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

/** A member by its name, in any case: one API writes `Code`, another `code`. */
function member(value: unknown, name: string): unknown {
  if (value === null || typeof value !== 'object') return undefined
  if (Object.hasOwn(value, name)) return (value as Record<string, unknown>)[name]
  const key = Object.keys(value).find((one) => one.toLowerCase() === name.toLowerCase())
  return key === undefined ? undefined : (value as Record<string, unknown>)[key]
}

/** A request, as it was sent. */
interface Sent {
  /** The names of all its fields, the inner ones too. */
  names: string[]
  /** All its values and the words in them, in lower case: what an answer says of these is somebody's data. */
  values: ReadonlySet<string>
}

/** A longer body is not taken apart (bytes). */
const MAX_SENT = 262_144

/** Takes apart what was sent: the query, and a body that is JSON or a form. */
function sentIn({ path, body }: Pick<HttpRequest, 'path' | 'body'>): Sent {
  const names = new Set<string>()
  const values = new Set<string>()
  const open: unknown[] = [fieldsOf(path.replace(/^[^?]*\??/s, '')), bodyOf(body)]
  // Without recursion: what is sent on may be nested as deeply as a stranger likes.
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

/** Digits enough, even with signs between them, to be a telephone number, a date of birth or a card. */
const DIGITS = /(?:\d[-./:]?){6}/

const CODE = /^[A-Za-z0-9_.:/#-]{1,80}$/

const NAME = /^[A-Za-z_$/[][\w.$/[\]-]{0,79}$/

/** Whether a text of the other side looks like the code of a program, and like nothing about a person. */
export function isCode(text: string): boolean {
  return CODE.test(text) && !DIGITS.test(text)
}

/** Whether a text of the other side looks like the name of a field, or a path to one: `billing.email`, `/lines/0/price`. */
function isName(text: string): boolean {
  return NAME.test(text) && !DIGITS.test(text)
}
