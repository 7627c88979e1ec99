import type { Link } from '../orders/link.ts'
import { HeldError, PermanentError, RetryLaterError, UnknownOutcomeError, WaitError } from '../values/errors.ts'
import type { Instant } from '../values/instant.ts'

/**
 * How one attempt ended. `cut`: because its time was over, not by itself. What hung may have been the destination, or a
 * payload on which the attempt never comes to an end. `mayBeWide`: the destination did not say what of this call was wrong, so
 * it may answer whatever is sent like that.
 */
export type Outcome =
  /** `partly`: without what a later one has said anew. */
  | { type: 'delivered'; links: Link[]; note: string | null; partly?: true }
  /** There was nothing to do: the destination has acknowledged the same before. */
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
  /** Nothing was tried, or it had no effect: what must come first has not come yet. It is due again at `until`. */
  | { type: 'wait'; until: Instant; code: string; why: string }
  /** Nothing was sent: a person decides whether it is to go out as it is. */
  | { type: 'held'; code: string; why: string }
  /** `byHand`: only a person can find out. `because`: the code of what kept the hub from finding out. */
  | { type: 'unknown'; code: string; why: string; byHand?: boolean; because?: string; cut?: true; mayBeWide?: true }

/**
 * The one place that turns an error into a decision, for worker, jobs and lookups alike.
 * An error that nobody classified says nothing about the effect, so its outcome is unknown.
 */
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

/** The code of what counts as delivered, and was sent to nobody. */
export const DRY_RUN = 'dry-run'

/** The code of a refusal: the destination does not have what the call is about. */
export const NOT_MADE = 'no-such-order'

/** The destination as a whole is in trouble: what comes next would fare the same. */
export function nobodyGotThrough(outcome: Outcome): outcome is Outcome & { type: 'retry' } {
  return outcome.type === 'retry' && outcome.scope === 'destination'
}

/** The attempt's time was over before it ended. */
export function wasCut(outcome: Outcome): boolean {
  return (outcome.type === 'retry' || outcome.type === 'unknown') && outcome.cut === true
}

/** The same outcome of an attempt whose time was over. One that says how it stands, says so however long it took. */
export function cutShort(outcome: Outcome): Outcome {
  return outcome.type === 'retry' || outcome.type === 'unknown' ? { ...outcome, cut: true } : outcome
}
