import { RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'

/** Answers after which it may have been carried out: only 503 says that nothing was begun. */
const BROKE_DOWN = /^(http-408|http-5(?!03)\d\d|half-answer)$/

/** A request that must not have its effect twice: after a breakdown, nobody knows whether it had it. */
export async function sentOnce<T>(sent: Promise<T>): Promise<T> {
  try {
    return await sent
  } catch (error) {
    throw unlessCertain(error)
  }
}

/** The error of such a request. */
export function unlessCertain(error: unknown): unknown {
  if (!(error instanceof RetryLaterError) || !BROKE_DOWN.test(error.code)) return error
  return new UnknownOutcomeError(error.message, { code: error.code, cause: error })
}
