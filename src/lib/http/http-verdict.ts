import { STATUS_CODES } from 'node:http'
import { plainTls, refusesCertificate } from '../tls-words.ts'
import type { HttpRequest } from './http.ts'
import type { HttpAnswer, HttpResult, Trouble } from './http-exchange.ts'
import { createMask } from './http-mask.ts'
import { isCode, listsFaults, saidIn } from './refusal.ts'

/**
 * The consequence of the result of a request. Messages are one line; they hold no secret, and of an answer's body
 * nothing but its code and the names of fields.
 */
export type HttpVerdict =
  | { type: 'done'; answer: HttpAnswer }
  /**
   * The request will never work as it is. `mayBeWide`: the answer does not say what of it was wrong, as a front door or a gateway
   * answers whatever is sent.
   */
  | { type: 'permanent'; code: string; message: string; mayBeWide: boolean; cause?: Error }
  /** The request may work later: this one failed (`item`), or nobody would get through now (`destination`). */
  | {
      type: 'later'
      code: string
      message: string
      scope: 'item' | 'destination'
      notBefore: number | null
      cause?: Error
    }
  /** The request was on the wire, and whether it was carried out is not known. */
  | { type: 'unknown'; code: string; message: string; cause: Error }

export interface JudgeOptions {
  /** The other side as operators call it; each message begins with it. */
  name: string
  /** Texts that no message may show, even when the other side says them back: keys, passwords, header values, the URL's query. */
  secrets: Iterable<string>
}

/** Nobody would get through now: the lane pauses. */
const DESTINATION = new Set([429, 502, 503, 504])
/** Statuses of one request that failed while its neighbours may pass: every other 5xx, and these of 4xx. */
const ITEM = new Set([408, 409, 425])

/** The one place where HTTP becomes a decision, for everything that speaks it: design §6 as a table. */
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
      // A success that broke off has very likely happened; what came of it (an id) is lost.
      if (result.answer.status < 300) return { type: 'unknown', code: 'half-answer', message, cause }
      return { type: 'later', code: 'half-answer', message, scope: 'item', notBefore, cause }
    }
    // A request that undici itself refuses to write (a header with a line break) will never be written.
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

/** A status as people read it: `202 Accepted`. */
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

/** A cause for the logs, made anew: the original may hold bytes of the answer, or the socket. */
function causeOf(trouble: Trouble, mask: (text: string) => string): Error {
  return Object.assign(new Error(mask(trouble.message)), { code: trouble.code })
}

function redirectTarget(location: string | string[] | undefined, { origin, path }: HttpRequest): string | null {
  const target = URL.parse(String(location ?? ''), origin + path)
  if (!location || !target) return null
  const isKnown =
    target.pathname === withoutQuery(path) || target.pathname.split('/').every((part) => !part || isCode(part))
  // Some say in the path of the page that they lead to who asked.
  return isKnown ? target.origin + target.pathname : `${target.origin}/…`
}

function withoutQuery(path: string): string {
  return path.replace(/\?.*$/s, '')
}

const LONGEST = 24 * 60 * 60 * 1000

const HTTP_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} [\d:]{8} GMT$/

/**
 * When a `Retry-After` header (seconds, which some write with a fraction, or an HTTP date) allows the next try, in milliseconds since 1970.
 * Null for none, for nonsense and for a time that is over; never more than a day ahead, whatever the header says.
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
