import { PermanentError, RetryLaterError } from '../../domain/values/errors.ts'

/** Codes of an answer that is longer than what is read, and of one that broke off before its end, as one does that takes too long. */
const TOO_MUCH = ['answer-too-large', 'half-answer']

/** Whether a read failed by how much was asked for, so that less at once may be answered. */
export function isTooMuch(error: unknown): boolean {
  return (error instanceof PermanentError || error instanceof RetryLaterError) && TOO_MUCH.includes(error.code)
}
