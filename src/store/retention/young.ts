import type { Instant } from '../../domain/values/instant.ts'

/** Days between what is young and what nobody can have noted yet: more than the age by which anything here is no longer young. */
const TO_COME = 3 * 24 * 3_600_000

/**
 * Whether a row that is to rest is of too late an instant to. One that is days later than `before` was dated by a clock that was ahead: it
 * does not keep those behind it until that time has come.
 */
export function isYoung(noted: Instant, before: Instant): boolean {
  return noted >= before && noted < before + TO_COME
}
