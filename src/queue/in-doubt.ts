import {
  FIND_FAILED,
  FIND_UNANSWERED,
  FIND_UNFINISHED,
  inDoubtSince,
  MAY_REPEAT,
  MAY_STILL_LAND,
  NO_TIME_LEFT,
  NOT_FOUND_YET,
  nextLookup,
} from '../domain/queue/delivery.ts'
import { isUnreachable, type Outcome, outcomeOf } from '../domain/queue/outcome.ts'
import {
  messageOf,
  PermanentError,
  UnfinishedLookError,
  UnknownOutcomeError,
  WaitError,
} from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Clock } from '../lib/clock.ts'
import { type CallAttempt, effectLookupOf, perform } from '../ports/perform.ts'
import type { Effect, Ports } from '../ports/ports.ts'
import type { Storage } from '../storage/storage.ts'
import type { Destination } from './destination.ts'

const CANNOT_FIND = 'cannot-find'

interface InDoubtAttempt extends CallAttempt {
  /** Superseded meanwhile: not sent if its effect is not there. */
  onlyLook: boolean
  unlessFindable: 'repeat' | 'hold'
  /** Null: no earlier call can still take effect. */
  inDoubtUntil: Instant | null
}

/** Sends only what is not there, once no earlier call can take effect. Null: superseded. WaitError `not-found-yet`: it may still appear. */
export async function lookUpAndPerform(
  ports: Ports,
  together: readonly InDoubtAttempt[],
): Promise<(Effect | Error | null)[]> {
  const results = new Map<CallAttempt, Effect | Error>()
  for (const one of together.filter(isInDoubt)) {
    const found = await lookUpEffect(ports, one).catch((error: unknown) => notFindable(error, one.unlessFindable))
    if (found === 'repeat') continue
    if (found) results.set(one, found)
    else if (one.inDoubtUntil !== null) results.set(one, notFoundYet(one.inDoubtUntil))
  }
  const missing = together.filter((one) => !results.has(one) && !one.onlyLook)
  if (missing.some(isInDoubt)) refuseLate(missing)
  const performed = await perform(ports, missing)
  missing.forEach((one, index) => {
    results.set(one, performed[index] as Effect | Error)
  })
  return together.map((one) => results.get(one) ?? null)
}

function notFoundYet(until: Instant): WaitError {
  return new WaitError('nothing is there of an earlier call that went unanswered, and it may still take effect', {
    code: NOT_FOUND_YET,
    until,
  })
}

function isInDoubt({ attempt }: CallAttempt): boolean {
  return attempt.previous === 'open'
}

function notFindable(error: unknown, rule: 'repeat' | 'hold'): Error | 'repeat' {
  if (error instanceof PermanentError && error.code === MAY_REPEAT) return 'repeat'
  if (!(error instanceof PermanentError && error.code === CANNOT_FIND)) throw error
  if (rule === 'repeat') return 'repeat'
  return new UnknownOutcomeError(`an earlier try may have had its effect: ${error.message}`, {
    code: CANNOT_FIND,
    byHand: true,
  })
}

async function lookUpEffect(ports: Ports, { call, attempt }: CallAttempt): Promise<Effect | null> {
  try {
    const find = effectLookupOf(ports, call.port)
    const effect = find ? await find(attempt, call) : null
    return effect && { ...effect, note: `found there: ${effect.note ?? 'it had happened'}` }
  } catch (error) {
    const outcome = outcomeOf(error)
    if (outcome.type === 'unknown' && outcome.code === MAY_STILL_LAND) return null
    if (isUnreachable(outcome) || isConclusive(outcome)) throw error
    const { code, why, mayBeWide } = { code: 'unexpected-error', why: '', mayBeWide: false, ...outcome }
    throw new UnknownOutcomeError(`looking for the effect of an earlier try failed: ${why}`, {
      code: codeOfFailed(error, outcome),
      because: code,
      mayBeWide,
      cause: error,
    })
  }
}

function codeOfFailed(error: unknown, outcome: Outcome): string {
  if (error instanceof UnfinishedLookError) return FIND_UNFINISHED
  return outcome.type === 'unknown' ? FIND_UNANSWERED : FIND_FAILED
}

function isConclusive(outcome: Outcome): boolean {
  if (outcome.type === 'unknown') return outcome.byHand === true
  if (outcome.type === 'held') return true
  return outcome.type === 'dead' && (outcome.code === CANNOT_FIND || outcome.code === MAY_REPEAT)
}

function refuseLate(missing: readonly CallAttempt[]): void {
  if (missing.some(({ attempt }) => attempt.signal.aborted))
    throw new UnknownOutcomeError('No time was left for the call.', { code: NO_TIME_LEFT })
}

/** (ms) */
const RETRY_AFTER = 5_000

/** When to look again; null: no earlier call can still take effect. Throws a WaitError if the storage cannot tell. */
export async function doubtUntil(
  id: number,
  { inDoubtFor, timeout }: Destination['queue'],
  { clock, delivery }: { clock: Clock; delivery: Storage['delivery'] },
): Promise<Instant | null> {
  const now = clock.now()
  try {
    const attempts = (await delivery(id))?.attempts ?? []
    return nextLookup(inDoubtSince(attempts, now), now, inDoubtFor, timeout)
  } catch (error) {
    const why = messageOf(error)
    throw new WaitError(`what its earlier tries were could not be read: ${why}`, {
      code: 'unread',
      until: clock.now() + RETRY_AFTER,
    })
  }
}
