import type { Instant } from '../values/instant.ts'
import { type Outcome, wasCut } from './outcome.ts'
import { ALONE_LIFETIME } from './retry.ts'

/* Whose trouble an outcome is: this delivery's own, or its whole destination's. One answer does not tell; call after call does. */

/** Refusals of our key or password, or of what it may. */
const REFUSES_KEY = /^(http-401|http-403|http-407|login-refused|login-without-token|vendure-(forbidden|unauthorized))$/

/** Refusals of where we ask, or of this machine. */
const REFUSES_PLACE = /^(http-3\d\d|no-api)$/

/** Signs that it broke down, or that something else answers in its place: a login page, a page of a firewall, another shape. */
const BROKE_DOWN =
  /^(http-408|http-5\d\d|half-answer|no-answer|unreadable-answer|unknown-outcome|unexpected-error|vendure-internal-server-error)$/

/** Whether a refusal with this code is one of our key. */
export function refusesKey(code: string): boolean {
  return REFUSES_KEY.test(code)
}

/**
 * Whether a refusal with this code is one of who we are, or of where we ask, not of what was sent: mending it in config or there heals
 * all at once, waiting heals nothing.
 */
export function refusesUs(code: string): boolean {
  return refusesKey(code) || REFUSES_PLACE.test(code)
}

/**
 * Whether the outcome would be the same for whatever is sent to that destination, as far as it says. Silence may always be
 * its silence, unless only a person can find out what came of this one.
 */
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

/** The destination has answered about this one: it did it, refused it, or failed at it alone. */
export function gotThrough(outcome: Outcome): boolean {
  if (mayBeEverybodys(outcome)) return false
  return outcome.type === 'retry' ? outcome.scope === 'item' : outcome.type !== 'unknown' && outcome.type !== 'wait'
}

/** The code that tells why: of a look that failed, the code of what it met. */
export function causeOf(outcome: Outcome & { code: string }): string {
  return (outcome.type === 'unknown' ? outcome.because : undefined) ?? outcome.code
}

/** The other side wants fewer calls, and does not say when it takes the next: it is asked more slowly, not stopped. */
export function wantsFewer(outcome: Outcome): boolean {
  if (outcome.type !== 'retry' || outcome.scope !== 'destination') return false
  return outcome.code === 'http-429' && outcome.notBefore === null
}

/** What other calls of the same operation of a destination tell about the failure of one delivery. */
export interface Evidence {
  /** Another delivery got through since this one began to fail. */
  own: boolean
  /** How often in a row its operation was refused: to this one alone, or while others of the destination get through; else null. */
  alone: number | null
}

/** A single failure before may be chance. */
const FEWEST_ALONE = 2

/**
 * Do not dead-letter on a refusal that may be destination-wide until another delivery got through. With no other delivery to
 * compare it with, a refusal that lasts for a day counts as the item's, but for one of our key or address, which an operator mends.
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
