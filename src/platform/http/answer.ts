import { mappingRemedy } from '../../domain/health/rows-aside.ts'
import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { HttpAnswer } from '../../lib/http/http-exchange.ts'
import type { HttpVerdict } from '../../lib/http/http-verdict.ts'
import { UnexpectedAnswer } from './read.ts'

/** The error of a call that only reads: whatever came of it, it may be asked again. */
export function readFailure(verdict: Exclude<HttpVerdict, { type: 'done' }>): Error {
  return verdict.type === 'unknown' ? new RetryLaterError(verdict.message, verdict) : writeFailure(verdict)
}

/** The error of a call that changes something. */
export function writeFailure(verdict: Exclude<HttpVerdict, { type: 'done' }>): Error {
  if (verdict.type === 'permanent') return new PermanentError(verdict.message, verdict)
  if (verdict.type === 'unknown') return new UnknownOutcomeError(verdict.message, verdict)
  return new RetryLaterError(verdict.message, verdict)
}

/** An answer that came in pieces, as one. */
export function inOne({ pieces, ...answer }: HttpAnswer): HttpAnswer {
  return pieces === undefined ? answer : { ...answer, body: Buffer.concat(pieces) }
}

/** The JSON of an answer to a read; null for "204 No Content". Throws a PermanentError that begins with `what`. */
export function readJson(answer: HttpAnswer, what: string): unknown {
  if (answer.status === 204) return null
  const markup = markupIn(answer)
  if (markup) throw new PermanentError(`${what} answered ${markup}, not JSON. ${REMEDY}`, { code: 'not-json' })
  if (!answer.complete) {
    const message = `${what} answered more than ${answer.body.length} bytes, the most that is read. Ask for less at once.`
    throw new PermanentError(message, { code: 'answer-too-large' })
  }
  try {
    return JSON.parse(withoutMark(answer))
  } catch {
    // The parser's own message quotes the text, which may hold personal data.
    const { body, headers } = answer
    const size = body.length === 0 ? 'nothing' : `${body.length} bytes that are ${otherThanJson(headers)}`
    throw new PermanentError(`${what} answered ${size}. ${REMEDY}`, { code: 'not-json' })
  }
}

function otherThanJson({ 'content-encoding': packing = 'identity' }: HttpAnswer['headers']): string {
  return packing === 'identity' ? 'not JSON' : `packed as ${packing}, which was not asked for`
}

/** Gives what `read` makes of an answer; what does not fit is a PermanentError that begins with `what`, and names the keys that say where it stands. */
export async function readAs<T>(
  value: unknown,
  { what, operation }: { what: string; operation: string },
  read: (answer: unknown) => T | Promise<T>,
): Promise<T> {
  try {
    return await read(value)
  } catch (error) {
    if (!(error instanceof UnexpectedAnswer)) throw error
    const message = `${what} answered something else than documented: ${error.message}. If it stands elsewhere in the answer: ${mappingRemedy(operation)}.`
    throw new PermanentError(message, { code: 'unexpected-answer' })
  }
}

/**
 * The answer to a write: JSON, or the text that it is (`Ok`), or null. Its shape is rarely shown, so it is not checked, but
 * for two signs that nothing was done: an id that is none (0 or below), and a page of something else.
 */
export function readWritten(answer: HttpAnswer, what: string): unknown {
  const markup = markupIn(answer)
  if (markup)
    throw new UnknownOutcomeError(`${what} answered ${markup}: it may not have come from the platform. ${REMEDY}`, {
      code: 'not-json',
    })
  if (!answer.complete) return null
  const value = parsedOrText(withoutMark(answer))
  if (isNoId(value))
    throw new PermanentError(`${what} answered ${value}, which means that it was not carried out.`, { code: 'refused' })
  return value
}

const REMEDY = 'Look at platform.baseUrl, and at what stands between here and there.'

function isNoId(value: unknown): boolean {
  return (
    (typeof value === 'number' || (typeof value === 'string' && /^-?\d+$/.test(value.trim()))) && Number(value) <= 0
  )
}

function parsedOrText(text: string): unknown {
  if (text.trim() === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** `HTML` or `XML`, where the body is; the odata endpoints write XML to who does not ask for JSON. */
function markupIn(answer: HttpAnswer): string | null {
  const start = withoutMark(answer, 256).trimStart().toLowerCase()
  if (!start.startsWith('<')) return null
  return /^<(!doctype html|html|head|body)/.test(start) ? 'HTML' : 'XML'
}

/** The text without its byte order mark, which .NET likes to write. */
function withoutMark({ body }: HttpAnswer, length = body.length): string {
  return body.toString('utf8', 0, length).replace(/^\uFEFF/, '')
}
