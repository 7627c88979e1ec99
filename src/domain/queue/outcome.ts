import type { Link } from '../orders/link.ts'
import { HeldError, PermanentError, RetryLaterError, UnknownOutcomeError, WaitError } from '../values/errors.ts'
import type { Instant } from '../values/instant.ts'

/**
 * Outcome of an attempt. `cut`: by its timeout; destination or payload may hang. `mayBeWide`: the refusal names no fault, so anything
 * might be refused.
 */
export type Outcome =
  /** `partly`: without what a later event restates. */
  | { type: 'delivered'; links: Link[]; note: string | null; partly?: true }
  /** Acknowledged before: nothing to do. */
  | { type: 'superseded'; code: string; why: string }
  | {
      type: 'retry'
      scope: 'item' | 'destination'
      notBefore: Instant | null
      code: string
      why: string
      cut?: true
      mayBeWide?: true
    }
  | { type: 'dead'; code: string; why: string; mayBeWide?: true }
  /** A dependency is missing; no effect. */
  | { type: 'wait'; until: Instant; code: string; why: string }
  /** Nothing sent: an operator decides. */
  | { type: 'held'; code: string; why: string }
  /** `byHand`: only an operator can find out. `because`: what kept the hub from it. */
  | { type: 'unknown'; code: string; why: string; byHand?: boolean; because?: string; cut?: true; mayBeWide?: true }

/** Classifies errors for worker, jobs and lookups. An unclassified error leaves the effect unknown. */
export function outcomeOf(error: unknown): Outcome {
  if (error instanceof PermanentError) return { type: 'dead', code: error.code, why: error.message, ...wide(error) }
  if (error instanceof HeldError) return { type: 'held', code: error.code, why: error.message }
  if (error instanceof WaitError) return { type: 'wait', until: error.until, code: error.code, why: error.message }
  if (error instanceof RetryLaterError) {
    const { scope, notBefore, code, message } = error
    return { type: 'retry', scope, notBefore, code, why: message, ...wide(error) }
  }
  if (error instanceof UnknownOutcomeError) {
    const { code, message, byHand, because } = error
    const known = { ...(byHand && { byHand }), ...(because !== null && { because }), ...wide(error) }
    return { type: 'unknown', code, why: message, ...known }
  }
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { type: 'unknown', code: 'unexpected-error', why }
}

function wide({ mayBeWide }: { mayBeWide: boolean }): { mayBeWide?: true } {
  return mayBeWide ? { mayBeWide } : {}
}

export const DRY_RUN = 'dry-run'

export const NOT_MADE = 'no-such-order'

/** Destination-wide: the next call would fare the same. */
export function nobodyGotThrough(outcome: Outcome): outcome is Outcome & { type: 'retry' } {
  return outcome.type === 'retry' && outcome.scope === 'destination'
}

export function wasCut(outcome: Outcome): boolean {
  return (outcome.type === 'retry' || outcome.type === 'unknown') && outcome.cut === true
}

/** Definite outcomes stay, however late. */
export function cutShort(outcome: Outcome): Outcome {
  return outcome.type === 'retry' || outcome.type === 'unknown' ? { ...outcome, cut: true } : outcome
}
