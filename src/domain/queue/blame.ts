import type { Instant } from '../values/instant.ts'
import { type Outcome, wasCut } from './outcome.ts'
import { ALONE_LIFETIME } from './retry.ts'

/** Error classification: the delivery's own, or destination-wide. One answer does not tell, a series does. */

/** Authentication and authorisation. */
const REFUSES_KEY = /^(http-401|http-403|http-407|login-refused|login-without-token|vendure-(forbidden|unauthorized))$/

/** Wrong address, or this machine is refused. */
const REFUSES_PLACE = /^(http-3\d\d|no-api)$/

/** Broken, or something else answers: login page, firewall, other format. */
const BROKE_DOWN =
  /^(http-408|http-5\d\d|half-answer|no-answer|unreadable-answer|unknown-outcome|unexpected-error|vendure-internal-server-error)$/

export function refusesKey(code: string): boolean {
  return REFUSES_KEY.test(code)
}

/** Refuses who we are or where we ask; only a change of config there or here helps. */
export function refusesUs(code: string): boolean {
  return refusesKey(code) || REFUSES_PLACE.test(code)
}

/** Could apply to anything sent there. A timeout may, unless only an operator can resolve it. */
export function mayBeEverybodys(outcome: Outcome): boolean {
  if (wasCut(outcome)) return true
  switch (outcome.type) {
    case 'dead':
      return outcome.mayBeWide === true || refusesUs(outcome.code)
    case 'retry':
      return outcome.scope === 'item' && (outcome.mayBeWide === true || isOfAll(outcome.code))
    case 'unknown':
      if (outcome.byHand) return false
      return outcome.because === undefined || outcome.mayBeWide === true || isOfAll(outcome.because)
    default:
      return false
  }
}

function isOfAll(code: string): boolean {
  return refusesUs(code) || BROKE_DOWN.test(code)
}

/** Answered about this delivery: done, refused or failed alone. */
export function gotThrough(outcome: Outcome): boolean {
  if (mayBeEverybodys(outcome)) return false
  return outcome.type === 'retry' ? outcome.scope === 'item' : outcome.type !== 'unknown' && outcome.type !== 'wait'
}

/** For a failed lookup, its own cause. */
export function causeOf(outcome: Outcome & { code: string }): string {
  return (outcome.type === 'unknown' ? outcome.because : undefined) ?? outcome.code
}

/** 429 without `Retry-After`: slow down, do not stop. */
export function wantsFewer(outcome: Outcome): boolean {
  if (outcome.type !== 'retry' || outcome.scope !== 'destination') return false
  return outcome.code === 'http-429' && outcome.notBefore === null
}

export interface Evidence {
  /** Another delivery succeeded since this one began to fail. */
  own: boolean
  /** Consecutive refusals of this one alone, or while other operations succeed; else null. */
  alone: number | null
}

/** One failure may be chance. */
const FEWEST_ALONE = 2

/**
 * Do not dead-letter on an error that may be destination-wide until another delivery succeeded. Without any other, a refusal lasting a
 * day counts as the item's, except of credentials or address.
 */
export function unlessEverybodys(
  outcome: Outcome,
  { own, alone }: Evidence,
  failingSince: Instant | null,
  now: Instant,
): Outcome {
  if (outcome.type !== 'dead' || own || !mayBeEverybodys(outcome)) return outcome
  const { code, why, mayBeWide } = outcome
  const lasts = failingSince !== null && now - failingSince >= ALONE_LIFETIME
  if (lasts && alone !== null && alone >= FEWEST_ALONE && !refusesUs(code))
    return { ...outcome, why: `refused for a day, with no other call to compare it with: ${why}` }
  return { type: 'retry', scope: 'item', notBefore: null, code, why, ...(mayBeWide && { mayBeWide }) }
}
