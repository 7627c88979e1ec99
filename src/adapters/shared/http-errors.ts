import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { HttpRequest } from '../../lib/http/http.ts'
import type { HttpAnswer, HttpResult } from '../../lib/http/http-exchange.ts'
import { createJudge } from '../../lib/http/http-verdict.ts'

export { statusLine } from '../../lib/http/http-verdict.ts'

/** Gives the answer of a request that was carried out; throws the error that says what to do with any other. */
export type AnswerCheck = (request: HttpRequest, result: HttpResult) => HttpAnswer

/** The facts by which a destination with nothing but HTTP to offer is judged, put together once for each. */
export interface AnswerCheckOptions {
  /** The operator's name of the destination, with which each message begins. */
  destination: string
  /** Texts that no message may show, even when the other side says them back: keys, passwords, header values, the URL's query. */
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
