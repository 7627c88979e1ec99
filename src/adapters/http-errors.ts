import { STATUS_CODES } from 'node:http'
import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../domain/errors.ts'
import type { HttpRequest } from '../lib/http.ts'
import type { HttpAnswer, HttpResult, Trouble } from '../lib/http-exchange.ts'
import { createMask } from '../lib/http-mask.ts'
import { retryAfter } from '../lib/retry-after.ts'

/** Gives the answer of a request that was carried out; throws the error that says what to do with any other. */
export type AnswerCheck = (request: HttpRequest, result: HttpResult) => HttpAnswer

/** What a destination with nothing but HTTP to offer is judged by, made once for each. */
export interface AnswerCheckOptions {
  /** The operator's name of the destination, with which each message begins. */
  destination: string
  /** What no message may show, even when the other side says it back: keys, passwords, header values, the URL's query. */
  secrets: Iterable<string>
}

/** Nobody would get through now: the lane pauses. */
const DESTINATION = new Set([429, 502, 503, 504])
/** This one failed, its neighbours may pass: with every other 5xx, these of 4xx. */
const ITEM = new Set([408, 409, 425])

const LONGEST_EXCERPT = 200

/** The one place where HTTP becomes a decision, for every adapter that speaks it: design §6 as a table. */
export function createAnswerCheck({ destination, secrets }: AnswerCheckOptions): AnswerCheck {
  const mask = createMask(secrets)
  return (request, result) => {
    if (result.type === 'answered' && result.answer.status < 300) return result.answer
    const what = `${destination}: ${request.method} ${mask(request.origin + withoutQuery(request.path))}`
    if (result.type === 'answered') throw refused(what, result.answer, request, mask)
    const why = mask(`${result.trouble.message} (${result.trouble.code})`)
    const cause = causeOf(result.trouble, mask)
    if (result.type === 'unanswered')
      throw new UnknownOutcomeError(`${what} was sent, but no answer came: ${why}`, { code: 'no-answer', cause })
    if (result.type === 'cut') {
      const notBefore = retryAfter(result.answer.headers['retry-after'], Date.now())
      const said = `${what} answered ${statusLine(result.answer.status)}, but the answer broke off: ${why}`
      // A success that broke off has very likely happened; what came of it (an id) is lost.
      if (result.answer.status < 300) throw new UnknownOutcomeError(said, { code: 'half-answer', cause })
      throw new RetryLaterError(said, { code: 'half-answer', scope: 'item', notBefore, cause })
    }
    // What undici itself refuses to write (a header with a line break) will never be written.
    if (result.trouble.code === 'UND_ERR_INVALID_ARG')
      throw new PermanentError(`${what} cannot be sent: ${why}`, { code: 'invalid-request', cause })
    throw new RetryLaterError(`${what} was not sent: ${why}`, { code: 'unreachable', scope: 'destination', cause })
  }
}

/** A status as people read it: `202 Accepted`. */
export function statusLine(status: number): string {
  const phrase = STATUS_CODES[status]
  return phrase ? `${status} ${phrase}` : String(status)
}

function refused(what: string, answer: HttpAnswer, request: HttpRequest, mask: (text: string) => string): Error {
  const { status, headers } = answer
  const code = `http-${status}`
  const line = `${what} answered ${statusLine(status)}`
  if (status < 400) {
    const target = redirectTarget(headers.location, request)
    const to = target ? ` to ${mask(target)}` : ''
    return new PermanentError(`${line}${to}. Redirects are not followed: put the final URL in config.`, { code })
  }
  const text = excerpt(mask(answer.body.toString()))
  const message = text ? `${line}: ${text}` : line
  const destinationWide = DESTINATION.has(status)
  if (!destinationWide && status < 500 && !ITEM.has(status)) return new PermanentError(message, { code })
  const notBefore = retryAfter(headers['retry-after'], Date.now())
  return new RetryLaterError(message, { code, scope: destinationWide ? 'destination' : 'item', notBefore })
}

/** A cause for the logs, made anew: the original may hold bytes of the answer, or the socket. */
function causeOf(trouble: Trouble, mask: (text: string) => string): Error {
  return Object.assign(new Error(mask(trouble.message)), { code: trouble.code })
}

function redirectTarget(location: string | string[] | undefined, { origin, path }: HttpRequest): string | null {
  const target = URL.parse(String(location ?? ''), origin + path)
  return location && target ? target.origin + target.pathname : null
}

function withoutQuery(path: string): string {
  return path.replace(/\?.*$/s, '')
}

/** The beginning of a text on one line. */
function excerpt(text: string): string {
  const line = text.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim()
  return line.length > LONGEST_EXCERPT ? `${line.slice(0, LONGEST_EXCERPT)}…` : line
}
