import { RetryLaterError } from '../../../domain/values/errors.ts'
import type { Effect } from '../../../ports/attempt.ts'

/** Nobody would get through: of a batch, the rest is not tried. */
export function isTrouble(result: Effect | Error): result is RetryLaterError {
  return result instanceof RetryLaterError && result.scope === 'destination'
}
