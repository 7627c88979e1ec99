import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { HttpAnswer, HttpClient, HttpRequest, HttpResult } from '../../lib/http/http.ts'
import { createJudge, statusLine } from '../../lib/http/http-verdict.ts'
import type { Examined } from '../../ports/attempt.ts'

export { statusLine }

type AnswerCheck = (request: HttpRequest, result: HttpResult) => HttpAnswer

/** The facts by which a destination with nothing but HTTP to offer is judged, put together once for each. */
interface AnswerCheckOptions {
  destination: string
  secrets: Iterable<string>
}

/** The verdict of lib/http/http-verdict.ts as the errors that the worker understands, for every adapter that speaks HTTP. */
export function createAnswerCheck({ destination, secrets }: AnswerCheckOptions): AnswerCheck {
  const judge = createJudge({ name: destination, secrets })
  return (request, result) => {
    const verdict = judge(request, result)
    if (verdict.type === 'done') return verdict.answer
    if (verdict.type === 'permanent') throw new PermanentError(verdict.message, verdict)
    if (verdict.type === 'unknown') throw new UnknownOutcomeError(verdict.message, verdict)
    throw new RetryLaterError(verdict.message, verdict)
  }
}

/** Codes of errors by which a request was not sent, or nothing was done about it. */
const NOT_DONE = new Set([
  'unreachable',
  'certificate-refused',
  'no-token',
  'http-409',
  'http-425',
  'http-429',
  'http-503',
])

/**
 * Of a request that must not have its effect twice, and of a system that saves first and fails afterwards (500), or behind a proxy that
 * gives up before it (502, 504): an error that may come back after the effect throws as UnknownOutcomeError, any other as it is.
 */
export function uncertainUnlessNotDone(error: unknown): never {
  if (error instanceof RetryLaterError && !NOT_DONE.has(error.code))
    throw new UnknownOutcomeError(error.message, { code: error.code, cause: error.cause })
  throw error
}

/** Of a request that changes nothing: an unknown outcome throws as RetryLaterError, any other error as it is. */
export function retryRead(error: unknown): never {
  if (!(error instanceof UnknownOutcomeError)) throw error
  throw new RetryLaterError(error.message, { code: error.code, cause: error.cause })
}

/** Said by a proxy or a gateway in the system's place, or to everybody. */
const NOT_ITSELF = [407, 429, 502, 503, 504]

/**
 * Whether somebody answers, whatever it is: a HEAD, which asks for nothing. Throws as a call does where nobody does, or only
 * what stands before the system.
 */
export async function reach(
  client: HttpClient,
  where: Omit<HttpRequest, 'method' | 'body'>,
  check: AnswerCheck,
): Promise<HttpAnswer> {
  const request: HttpRequest = { ...where, method: 'HEAD' }
  const result = await client.send(request)
  const isItself = result.type === 'answered' && !NOT_ITSELF.includes(result.answer.status)
  return isItself ? result.answer : check(request, result)
}

export function reached({ status }: HttpAnswer): Examined {
  return { what: 'connection', state: 'ok', says: `It is reached: a HEAD was answered ${statusLine(status)}.` }
}
