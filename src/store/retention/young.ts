import type { Instant } from '../../domain/values/instant.ts'

/** More than the age by which anything here is no longer young. */
const TO_COME = 3 * 24 * 3_600_000

/** Days later than `before` is a clock that was ahead: such a row does not hold up those behind it. */
export function isYoung(noted: Instant, before: Instant): boolean {
  return noted >= before && noted < before + TO_COME
}
