import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { HttpAnswer, HttpClient, HttpRequest, HttpResult } from '../../lib/http/http.ts'
import { createJudge, statusLine } from '../../lib/http/http-verdict.ts'
import type { Examined } from '../../ports/attempt.ts'

export { statusLine }

type AnswerCheck = (request: HttpRequest, result: HttpResult) => HttpAnswer

interface AnswerCheckOptions {
  destination: string
  secrets: Iterable<string>
}

/** Throws the verdict of lib/http/http-verdict.ts as an error that the worker understands. */
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

/** Nothing was done about the request. */
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
 * Of a system that saves before it fails (500), or is behind a proxy that gives up first (502, 504): errors after which the effect may be
 * there throw as UnknownOutcomeError.
 */
export function uncertainUnlessNotDone(error: unknown): never {
  if (error instanceof RetryLaterError && !NOT_DONE.has(error.code))
    throw new UnknownOutcomeError(error.message, { code: error.code, cause: error.cause })
  throw error
}

/** Of a read: an unknown outcome throws as RetryLaterError. */
export function retryRead(error: unknown): never {
  if (!(error instanceof UnknownOutcomeError)) throw error
  throw new RetryLaterError(error.message, { code: error.code, cause: error.cause })
}

/** From a proxy in the system's place. */
const NOT_ITSELF = [407, 429, 502, 503, 504]

/** A HEAD, to see that the system answers at all. */
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
