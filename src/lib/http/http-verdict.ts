import { STATUS_CODES } from 'node:http'
import { orElse } from '../or-else.ts'
import { ADDRESS_REFUSED } from './address-guard.ts'
import type { HttpAnswer, HttpRequest, HttpResult } from './http.ts'

/** Messages are one line, without secrets; of a body only code and field names. */
export type HttpVerdict =
  | { type: 'done'; answer: HttpAnswer }
  /** `mayBeWide`: the answer names no fault. */
  | { type: 'permanent'; code: string; message: string; mayBeWide: boolean; cause?: Error }
  | {
      type: 'later'
      code: string
      message: string
      scope: 'item' | 'destination'
      notBefore: number | null
      cause?: Error
    }
  | { type: 'unknown'; code: string; message: string; cause: Error }

interface Later {
  scope: 'item' | 'destination'
  /** It may have been executed all the same: by a server that is slow, or behind a gateway that gave up. */
  mayBeDone: boolean
}

/** Statuses below 500 that another try may get past, and 5xx that concern all that is sent. Other 5xx concern one item. */
const LATER: Readonly<Record<number, Later>> = {
  408: { scope: 'item', mayBeDone: true },
  409: { scope: 'item', mayBeDone: false },
  425: { scope: 'item', mayBeDone: false },
  429: { scope: 'destination', mayBeDone: false },
  502: { scope: 'destination', mayBeDone: true },
  503: { scope: 'destination', mayBeDone: false },
  504: { scope: 'destination', mayBeDone: true },
}

/** Codes of verdicts after which nothing was executed. */
export const NOT_EXECUTED: ReadonlySet<string> = new Set([
  'unreachable',
  'certificate-refused',
  'address-refused',
  ...Object.entries(LATER).flatMap(([status, { mayBeDone }]) => (mayBeDone ? [] : [`http-${status}`])),
])

/** HTTP status → decision, for everything that speaks HTTP (design §6). `secrets` are never shown, even if echoed. */
export function createClassifier({ name, secrets }: { name: string; secrets: Iterable<string> }) {
  const mask = createMask(secrets)
  return (request: HttpRequest, result: HttpResult): HttpVerdict => {
    if (result.type === 'answered' && result.answer.status < 300) return { type: 'done', answer: result.answer }
    const what = `${name}: ${request.method} ${mask(request.origin + withoutQuery(request.path))}`
    if (result.type === 'answered') return refused(what, result.answer, request, mask)
    const why = mask(`${plainTls(result.fault.message)} (${result.fault.code})`)
    // The original may hold bytes or the socket.
    const cause = Object.assign(new Error(mask(result.fault.message)), { code: result.fault.code })
    if (result.type === 'unanswered')
      return { type: 'unknown', code: 'no-answer', message: `${what} was sent, but no answer came: ${why}`, cause }
    if (result.type === 'cut') {
      const notBefore = retryAfter(result.answer.headers['retry-after'], Date.now())
      const message = `${what} answered ${statusLine(result.answer.status)}, but the answer broke off: ${why}`
      // A success cut off has very likely happened; its id is lost.
      if (result.answer.status < 300) return { type: 'unknown', code: 'half-answer', message, cause }
      return { type: 'later', code: 'half-answer', message, scope: 'item', notBefore, cause }
    }
    // undici refuses to write it (a header with a line break): permanent.
    if (result.fault.code === 'UND_ERR_INVALID_ARG') {
      const message = `${what} cannot be sent: ${why}`
      return { type: 'permanent', code: 'invalid-request', message, mayBeWide: false, cause }
    }
    const message = `${what} was not sent: ${why}`
    const code = unsentCode(result.fault)
    return { type: 'later', code, message, scope: 'destination', notBefore: null, cause }
  }
}

export function unsentCode({ code, message }: { code: string; message: string }): string {
  if (code === ADDRESS_REFUSED) return 'address-refused'
  return refusesCertificate(message) ? 'certificate-refused' : 'unreachable'
}

export function statusLine(status: number): string {
  const phrase = STATUS_CODES[status]
  return phrase ? `${status} ${phrase}` : String(status)
}

function refused(what: string, answer: HttpAnswer, request: HttpRequest, mask: (text: string) => string): HttpVerdict {
  const { status, headers } = answer
  const code = `http-${status}`
  const line = `${what} answered ${statusLine(status)}`
  if (status < 400) {
    const target = redirectTarget(headers.location, request)
    const to = target ? ` to ${mask(target)}` : ''
    const message = `${line}${to}. Redirects are not followed: put the final URL in config.`
    return { type: 'permanent', code, message, mayBeWide: true }
  }
  const said = mask(describeRefusal(answer, request))
  const message = said ? `${line}: ${said}` : line
  if (!LATER[status] && status < 500) return { type: 'permanent', code, message, mayBeWide: !listsFaults(answer) }
  const notBefore = retryAfter(headers['retry-after'], Date.now())
  return { type: 'later', code, message, scope: LATER[status]?.scope ?? 'item', notBefore }
}

function redirectTarget(location: string | string[] | undefined, { origin, path }: HttpRequest): string | null {
  const target = URL.parse(String(location ?? ''), origin + path)
  if (!location || !target) return null
  const isKnown =
    target.pathname === withoutQuery(path) || target.pathname.split('/').every((part) => !part || isCode(part))
  // Some put user data into the redirect path.
  return isKnown ? target.origin + target.pathname : `${target.origin}/…`
}

function withoutQuery(path: string): string {
  return path.replace(/\?.*$/s, '')
}

const LONGEST = 24 * 60 * 60 * 1000

/** Seconds or an HTTP date, as milliseconds since 1970; null: absent, invalid or past; at most a day ahead. */
export function retryAfter(header: string | string[] | undefined, now: number): number | null {
  const value = (Array.isArray(header) ? header[0] : header)?.trim() ?? ''
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Math.ceil(Number(value)) : Number.NaN
  const at = Number.isNaN(seconds) && value.endsWith(' GMT') ? Date.parse(value) : now + seconds * 1000
  return at > now ? Math.min(at, now + LONGEST) : null
}

/** Shorter ones would damage every text. */
const SHORTEST = 4

/** Plain, URL-encoded, JSON-escaped, and parts of a header (`Bearer abc…`, `Basic …`). */
export function createMask(secrets: Iterable<string>): (text: string) => string {
  const forms = new Set<string>()
  for (const secret of secrets) for (const part of secretParts(secret)) addForms(forms, part)
  // Longest first: a secret may contain another.
  const hidden = [...forms].filter((form) => form.length >= SHORTEST).sort((a, b) => b.length - a.length)
  return (text) => hidden.reduce((masked, form) => withoutTail(masked.replaceAll(form, '***'), form), text)
}

function secretParts(secret: string): string[] {
  const words = secret.split(/\s+/)
  const basic = /^basic$/i.test(words[0] ?? '') ? Buffer.from(words[1] ?? '', 'base64').toString() : ''
  const password = basic.slice(basic.indexOf(':') + 1)
  // The scheme (`Bearer`) is no secret.
  return [secret, ...words.slice(1), basic, password]
}

function addForms(forms: Set<string>, part: string): void {
  const text = part.toWellFormed()
  forms.add(text).add(encodeURIComponent(text)).add(JSON.stringify(text).slice(1, -1))
}

/** A truncated text may end inside a secret. */
function withoutTail(text: string, secret: string): string {
  for (let length = Math.min(secret.length - 1, text.length); length >= SHORTEST; length--) {
    if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}***`
  }
  return text
}

const LARGEST = 65_536
const MAX_NAMES = 8

/** Loggable part of a refusal: code and field names, `rest_invalid_param (billing.email)`; else type and length. Never words or sent values. */
export function describeRefusal(answer: HttpAnswer, request: Pick<HttpRequest, 'path' | 'body'>): string {
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

/** Its author has read the request. */
export function listsFaults({ body }: Pick<HttpAnswer, 'body'>): boolean {
  return body.length > 0 && body.length <= LARGEST && faultsIn(parsed(jsonTextOf(body))).length > 0
}

function shown(names: string[]): string {
  return names.length > MAX_NAMES ? '' : names.join(', ')
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
  return orElse(() => JSON.parse(text), undefined)
}

/** RFC 9457 (`type`), RFC 6749 (`error`), and common names. */
const CODES = ['code', 'errorCode', 'error_code', 'category', 'type', 'error', 'status'] as const

const WITHIN = ['error', 'odata.error', 'fault'] as const

/** Objects keyed by field: WordPress, ASP.NET, Laravel. */
const BY_NAME = ['params', 'errors', 'ModelState', 'fields', 'fieldErrors'] as const
const LISTS = ['errors', 'details', 'detail', 'violations', 'invalid-params', 'issues', 'fieldErrors'] as const

const PLACES = ['field', 'path', 'pointer', 'property', 'propertyPath', 'propertyName', 'param', 'parameter', 'loc']
const MAX_FAULTS = 100

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
  const reported = placesIn(partsWithData(answer))
  return [...new Set([...faultsIn(answer), ...reported])].filter(isName)
}

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

function member(value: unknown, name: string): unknown {
  if (value === null || typeof value !== 'object') return undefined
  if (Object.hasOwn(value, name)) return (value as Record<string, unknown>)[name]
  const key = Object.keys(value).find((one) => one.toLowerCase() === name.toLowerCase())
  return key === undefined ? undefined : (value as Record<string, unknown>)[key]
}

interface Sent {
  names: string[]
  /** In an answer they are personal data. */
  values: ReadonlySet<string>
}

const MAX_SENT = 262_144

function sentIn({ path, body }: Pick<HttpRequest, 'path' | 'body'>): Sent {
  const names = new Set<string>()
  const values = new Set<string>()
  const open: unknown[] = [fieldsOf(path.replace(/^[^?]*\??/s, '')), bodyOf(body)]
  // Iterative: nesting is unbounded.
  while (open.length > 0) {
    const value = open.pop()
    if (value !== null && typeof value === 'object') {
      if (!Array.isArray(value)) for (const name of Object.keys(value)) names.add(name)
      for (const inner of Object.values(value)) open.push(inner)
    } else if (typeof value === 'string')
      for (const word of [value, ...value.split(/[^\p{L}\p{N}_.-]+/u)]) values.add(word.toLowerCase())
  }
  return { names: [...names], values }
}

function bodyOf(body: Uint8Array | null | undefined): unknown {
  if (!body || body.length > MAX_SENT) return null
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  return parsed(text) ?? fieldsOf(text)
}

function fieldsOf(form: string): object {
  return Object.fromEntries(new URLSearchParams(form))
}

/** Enough digits for a phone, date of birth or card. */
const DIGITS = /(?:\d[-./:]?){6}/
const CODE = /^[A-Za-z0-9_.:/#-]{1,80}$/
const NAME = /^[A-Za-z_$/[][\w.$/[\]-]{0,79}$/

export function isCode(text: string): boolean {
  return CODE.test(text) && !DIGITS.test(text)
}

/** Looks like a field name or path: `billing.email`, `/lines/0/price`. */
function isName(text: string): boolean {
  return NAME.test(text) && !DIGITS.test(text)
}

/** PHP's warnings, as HTML or plain text. */
const COMPLAINT = /^\s*(<br \/>\s*)?(<b>)?(PHP )?(Deprecated|Notice|Warning|Strict Standards|User [A-Z][a-z]+)(<\/b>)?:/
const BEGINNING = /(?:^|>)[ \t]*(?=[{[])/gm
const MAX_PLACES = 100

/** Without PHP warnings in front (`display_errors`, `WP_DEBUG_DISPLAY`). */
export function jsonTextOf(body: Buffer): string {
  const text = textOf(body)
  if (!COMPLAINT.test(text)) return text
  for (const { index, 0: before } of text.matchAll(BEGINNING).take(MAX_PLACES)) {
    const json = text.slice(index + before.length)
    if (parsed(json) !== undefined) return json
  }
  return text
}

/** Without the byte order mark that some PHP sites send. */
export function textOf(body: Buffer): string {
  return body.toString('utf8').replace(/^\uFEFF/, '')
}

/** By text: not all libraries pass codes. An alert concerns our certificate. */
export function refusesCertificate(words: string): boolean {
  return /certificate/i.test(words) && !/\balert\b/i.test(words)
}

/** OpenSSL text without source positions: `TLS: wrong version number`. */
export function plainTls(words: string): string {
  const reason = /:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/.exec(words)?.[1]
  return reason === undefined ? words : `TLS: ${reason}`
}
