import type { Instant } from './instant.ts'
import { type Outcome, wasCut } from './outcome.ts'
import { findDelay, ITEM_LIFETIME, itemDelay, MOST_WHILE_SILENT, silentDelay } from './retry.ts'

/** Where a delivery stands. Only waiting, claimed and held ones stand in the way of their entity's next. */
export type DeliveryState = 'waiting' | 'claimed' | 'held' | 'delivered' | 'dead' | 'skipped' | 'superseded'

/** What is done when a call may have had its effect and nobody knows. */
export type WhenUnknown = 'repeat' | 'find' | 'hold'

/** How far a delivery has come. */
export interface Progress {
  /** Failures that count on its own schedule (trouble of the destination does not, but for what was cut short). */
  tries: number
  /** Looks for an uncertain effect that failed in a row. */
  finds: number
  /** Since when it has been failing; null: not. */
  failingSince: Instant | null
  /** A call may be on the wire, or have landed, unanswered. */
  open: boolean
}

/** What an attempt makes of a delivery. */
export interface Next extends Progress {
  state: 'waiting' | 'held' | 'delivered' | 'superseded' | 'dead'
  /** When it may be tried again (waiting only). */
  dueAt: Instant
  /** Why it is not delivered. */
  why: string | null
}

/**
 * The whole delivery machine: what becomes of a delivery after an attempt. Its table is in docs/delivery.md.
 * `landing` is how long a call that went unanswered may still be at work on the other side (milliseconds); `random` in [0, 1).
 * `answers`: others have got through to the destination since one of its calls was cut short last.
 */
export function next(
  now: Instant,
  random: number,
  progress: Progress,
  outcome: Outcome,
  whenUnknown: WhenUnknown,
  landing: number,
  answers = true,
): Next {
  const settled = { tries: progress.tries, finds: 0, failingSince: null, open: false, dueAt: now }
  if (outcome.type === 'delivered') return { ...settled, state: 'delivered', why: null }
  if (outcome.type === 'dead' || outcome.type === 'superseded')
    return { ...settled, state: outcome.type, why: outcome.why }

  if (outcome.type === 'held') return { ...settled, open: progress.open, state: 'held', why: outcome.why }

  // Nobody got through: the lane waits, the delivery is not charged, and what was open stays open.
  const wide = outcome.type === 'retry' && outcome.scope === 'destination'
  const cut = wasCut(outcome)
  if (wide && !cut) return { ...progress, state: 'waiting', dueAt: now, why: outcome.why }

  // A call that never began leaves open what was open.
  const open = outcome.type === 'unknown' || (wide && progress.open)
  if (cut && !answers && (outcome.type === 'retry' || whenUnknown === 'repeat'))
    return { ...chargedInSilence(now, random, progress), open, state: 'waiting', why: outcome.why }

  const failed = fail(now, random, progress)
  if (outcome.type === 'retry') {
    if (failed.over && open && whenUnknown !== 'repeat')
      return { ...progress, state: 'held', dueAt: now, why: tooLong(outcome.why) }
    if (failed.over) return { ...settled, state: 'dead', why: tooLong(outcome.why) }
    return {
      ...failed.progress,
      open,
      state: 'waiting',
      dueAt: latest(failed.dueAt, outcome.notBefore),
      why: outcome.why,
    }
  }

  switch (whenUnknown) {
    case 'repeat':
      if (failed.over) return { ...settled, state: 'dead', why: tooLong(outcome.why) }
      return { ...failed.progress, open: true, state: 'waiting', dueAt: failed.dueAt, why: outcome.why }
    case 'hold':
      return { ...progress, open: true, state: 'held', dueAt: now, why: `uncertain: ${outcome.why}` }
    case 'find':
      return whenFindable(now, progress, outcome, failed, landing)
  }
}

/** An uncertain effect is looked for once it must have landed; a look that fails is repeated after 1, 10 and 60 minutes. */
function whenFindable(
  now: Instant,
  progress: Progress,
  outcome: Outcome & { type: 'unknown' },
  failed: Failure,
  landing: number,
): Next {
  const open = { ...failed.progress, open: true, why: outcome.why }
  if (outcome.code !== FIND_FAILED) {
    if (failed.over) return { ...open, state: 'held', dueAt: now, why: tooLong(outcome.why) }
    return { ...open, finds: 0, state: 'waiting', dueAt: latest(failed.dueAt, now + landing) }
  }
  const finds = progress.finds + 1
  const delay = findDelay(finds)
  if (delay === null)
    return { ...progress, finds, open: true, state: 'held', dueAt: now, why: `uncertain: ${outcome.why}` }
  return { ...progress, finds, open: true, state: 'waiting', dueAt: now + delay, why: outcome.why }
}

/** The code of an unknown outcome that comes from the look itself, not from the call. */
export const FIND_FAILED = 'find-failed'

interface Failure {
  progress: Omit<Progress, 'open'>
  dueAt: Instant
  over: boolean
}

function fail(now: Instant, random: number, progress: Progress): Failure {
  const failingSince = progress.failingSince ?? now
  const tries = progress.tries + 1
  return {
    progress: { tries, finds: 0, failingSince },
    dueAt: now + itemDelay(tries, random),
    over: now - failingSince >= ITEM_LIFETIME,
  }
}

/**
 * Its time was over while nobody got through: the destination may be away, or it is this one that hangs. It counts, so that
 * others are tried before it; but its three days begin only with the last such try, and it is due again by the time that
 * the lane is probed: a destination that was away for long has aged nothing, and nobody waits for hours when it is back.
 */
function chargedInSilence(now: Instant, random: number, progress: Progress): Omit<Next, 'state' | 'open' | 'why'> {
  const tries = Math.max(progress.tries, Math.min(progress.tries + 1, MOST_WHILE_SILENT))
  return { tries, finds: progress.finds, failingSince: now, dueAt: now + silentDelay(tries, random) }
}

function latest(dueAt: Instant, notBefore: Instant | null): Instant {
  return notBefore === null ? dueAt : Math.max(dueAt, notBefore)
}

function tooLong(why: string): string {
  return `failing for three days: ${why}`
}
