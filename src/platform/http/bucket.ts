import { UserError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'

/** How many requests are sent at most. */
export interface Rate {
  perSecond: number
}

/** How many requests may be sent at once. Tokens come in with time, up to one: requests are spread, not sent in heaps. */
export interface Bucket {
  tokens: number
  /** When they were counted. */
  at: Instant
}

/** Tokens of a full bucket. */
export const FULL = 1

/** The bucket at a later instant: pure. A clock that was put back brings no tokens, and takes none. */
export function fill({ tokens, at }: Bucket, now: Instant, { perSecond }: Rate): Bucket {
  const come = (Math.max(0, now - at) * perSecond) / 1_000
  return { tokens: Math.min(FULL, tokens + come), at: now }
}

/** Milliseconds until there is a token in the bucket; 0: there is one. */
export function pauseFor({ tokens }: Bucket, { perSecond }: Rate): number {
  return Math.ceil(((FULL - tokens) * 1_000) / perSecond)
}

/** Throws a UserError where it is no rate. */
export function checkRate(rate: Rate | undefined): Rate | undefined {
  if (rate === undefined || (rate.perSecond > 0 && Number.isFinite(rate.perSecond))) return rate
  throw new UserError('platform.rate.perSecond: it must be a number above 0, such as 10.')
}
