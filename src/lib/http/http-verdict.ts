import { STATUS_CODES } from 'node:http'
import { plainTls, refusesCertificate } from '../tls-words.ts'
import type { HttpRequest } from './http.ts'
import type { HttpAnswer, HttpResult, Trouble } from './http-exchange.ts'
import { createMask } from './http-mask.ts'
import { isCode, listsFaults, saidIn } from './refusal.ts'

/** Decision on an HTTP result. Messages are one line, without secrets; of a body only its code and field names. */
export type HttpVerdict =
  | { type: 'done'; answer: HttpAnswer }
  /** Never works as it is. `mayBeWide`: the answer names no fault, as a gateway answers anything. */
  | { type: 'permanent'; code: string; message: string; mayBeWide: boolean; cause?: Error }
  /** May work later: this request failed (`item`), or all would (`destination`). */
  | {
      type: 'later'
      code: string
      message: string
      scope: 'item' | 'destination'
      notBefore: number | null
      cause?: Error
    }
  /** Sent, outcome unknown. */
  | { type: 'unknown'; code: string; message: string; cause: Error }

export interface JudgeOptions {
  /** Display name; begins each message. */
  name: string
  /** Never shown, even if echoed: keys, passwords, header values, URL query. */
  secrets: Iterable<string>
}

const DESTINATION = new Set([429, 502, 503, 504])
const ITEM = new Set([408, 409, 425])

/** HTTP status → decision, for everything that speaks HTTP (design §6). */
export function createJudge({
  name,
  secrets,
}: JudgeOptions): (request: HttpRequest, result: HttpResult) => HttpVerdict {
  const mask = createMask(secrets)
  return (request, result) => {
    if (result.type === 'answered' && result.answer.status < 300) return { type: 'done', answer: result.answer }
    const what = `${name}: ${request.method} ${mask(request.origin + withoutQuery(request.path))}`
    if (result.type === 'answered') return refused(what, result.answer, request, mask)
    const why = mask(`${plainTls(result.trouble.message)} (${result.trouble.code})`)
    const cause = causeOf(result.trouble, mask)
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
    if (result.trouble.code === 'UND_ERR_INVALID_ARG')
      return {
        type: 'permanent',
        code: 'invalid-request',
        message: `${what} cannot be sent: ${why}`,
        mayBeWide: false,
        cause,
      }
    const message = `${what} was not sent: ${why}`
    const code = refusesCertificate(result.trouble.message) ? 'certificate-refused' : 'unreachable'
    return { type: 'later', code, message, scope: 'destination', notBefore: null, cause }
  }
}

/** `202 Accepted`. */
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
  const said = mask(saidIn(answer, request))
  const message = said ? `${line}: ${said}` : line
  const destinationWide = DESTINATION.has(status)
  if (!destinationWide && status < 500 && !ITEM.has(status))
    return { type: 'permanent', code, message, mayBeWide: !listsFaults(answer) }
  const notBefore = retryAfter(headers['retry-after'], Date.now())
  return { type: 'later', code, message, scope: destinationWide ? 'destination' : 'item', notBefore }
}

/** A fresh error: the original may hold bytes or the socket. */
function causeOf(trouble: Trouble, mask: (text: string) => string): Error {
  return Object.assign(new Error(mask(trouble.message)), { code: trouble.code })
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

const HTTP_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} [\d:]{8} GMT$/

/**
 * `Retry-After` (seconds, also fractional, or an HTTP date) as milliseconds since 1970; null: absent, invalid or past; at most a day
 * ahead.
 */
export function retryAfter(header: string | string[] | undefined, now: number): number | null {
  const value = (Array.isArray(header) ? header[0] : header)?.trim() ?? ''
  const at = /^\d+(\.\d+)?$/.test(value)
    ? now + Math.ceil(Number(value)) * 1000
    : HTTP_DATE.test(value)
      ? Date.parse(value)
      : Number.NaN
  return at > now ? Math.min(at, now + LONGEST) : null
}
