import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { HttpAnswer, HttpClient, HttpRequest, HttpResult } from '../../lib/http/http.ts'
import { createClassifier, NOT_EXECUTED, statusLine } from '../../lib/http/http-verdict.ts'
import type { HealthFinding } from '../../ports/ports.ts'

export { statusLine }

type AnswerCheck = ReturnType<typeof createAnswerCheck>

export function createAnswerCheck({ destination, secrets }: { destination: string; secrets: Iterable<string> }) {
  const judge = createClassifier({ name: destination, secrets })
  return (request: HttpRequest, result: HttpResult): HttpAnswer => {
    const verdict = judge(request, result)
    if (verdict.type === 'done') return verdict.answer
    if (verdict.type === 'permanent') throw new PermanentError(verdict.message, verdict)
    if (verdict.type === 'unknown') throw new UnknownOutcomeError(verdict.message, verdict)
    throw new RetryLaterError(verdict.message, verdict)
  }
}

/** For systems that save before they fail (500), or whose proxy gives up first (502, 504): then the effect may exist, an UnknownOutcomeError. */
export function uncertainUnlessNotDone(error: unknown): never {
  // Without a token nothing was sent.
  if (error instanceof RetryLaterError && error.code !== 'no-token' && !NOT_EXECUTED.has(error.code))
    throw new UnknownOutcomeError(error.message, { code: error.code, cause: error.cause })
  throw error
}

export function retryRead(error: unknown): never {
  if (!(error instanceof UnknownOutcomeError)) throw error
  throw new RetryLaterError(error.message, { code: error.code, cause: error.cause })
}

/** Sent by a proxy. */
const NOT_ITSELF = [407, 429, 502, 503, 504]

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

export function reached({ status }: HttpAnswer): HealthFinding {
  return { what: 'connection', state: 'ok', says: `It is reached: a HEAD was answered ${statusLine(status)}.` }
}
