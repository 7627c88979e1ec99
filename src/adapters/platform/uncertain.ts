import { RetryLaterError, UnknownOutcomeError } from '../../domain/errors.ts'

/** Who answers so may have carried it out before: only 503 says that nothing was begun. */
const BROKE_DOWN = /^(http-408|http-5(?!03)\d\d|half-answer)$/

/** The error of a request that must not have its effect twice: after a breakdown, nobody knows whether it had it. */
export function unlessCertain(error: unknown): unknown {
  if (!(error instanceof RetryLaterError) || !BROKE_DOWN.test(error.code)) return error
  return new UnknownOutcomeError(error.message, { code: error.code, cause: error })
}
