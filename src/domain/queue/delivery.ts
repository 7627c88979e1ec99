import type { Instant } from '../values/instant.ts'
import { type Evidence, mayBeEverybodys, wantsFewer } from './blame.ts'
import { type Outcome, wasCut } from './outcome.ts'
import {
  FINDS_WHILE_NOBODY,
  findDelay,
  ITEM_LIFETIME,
  itemDelay,
  MOST_WHILE_REFUSED,
  MOST_WHILE_SILENT,
  repeatDelay,
  silentDelay,
  TOO_MANY_DELAY,
} from './retry.ts'

/** Where a delivery stands. Only waiting, claimed and held ones stand in the way of their entity's next. */
export type DeliveryState = 'waiting' | 'claimed' | 'held' | 'delivered' | 'dead' | 'skipped' | 'superseded'

/** The states of deliveries that are not settled well: they are owed, or somebody has to look at them. */
export const UNSETTLED: ReadonlySet<DeliveryState> = new Set(['waiting', 'claimed', 'held', 'dead'])

/** The way on when a call may have had its effect and nobody knows. */
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

/** The delivery after an attempt. */
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
 * `evidence`: until another delivery got through since this one began to fail, a failure that may be everybody's ages nothing,
 * kills nothing and hands nothing to a person.
 */
export function next(
  now: Instant,
  random: number,
  progress: Progress,
  outcome: Outcome,
  whenUnknown: WhenUnknown,
  landing: number,
  { own, alone }: Evidence = OWN,
): Next {
  const settled = { tries: progress.tries, finds: 0, failingSince: null, open: false, dueAt: now }
  if (outcome.type === 'delivered') return { ...settled, state: 'delivered', why: null }
  if (outcome.type === 'dead' || outcome.type === 'superseded')
    return { ...settled, state: outcome.type, why: outcome.why }

  if (outcome.type === 'held') return { ...settled, open: progress.open, state: 'held', why: outcome.why }

  // Waiting for something that has not come yet is no fault of the delivery's.
  if (outcome.type === 'wait') return { ...progress, state: 'waiting', dueAt: outcome.until, why: outcome.why }

  // Nobody got through: the lane waits, the delivery is not charged, and what was open stays open.
  const wide = outcome.type === 'retry' && outcome.scope === 'destination'
  if (wide && !wasCut(outcome)) {
    const dueAt = wantsFewer(outcome) ? now + TOO_MANY_DELAY : now
    return { ...progress, state: 'waiting', dueAt, why: outcome.why }
  }

  const everybodys = !own && mayBeEverybodys(outcome)
  const failed = everybodys
    ? failWithOthers(now, random, progress, outcome, whenUnknown, alone !== null)
    : fail(now, random, progress)
  if (outcome.type === 'retry') {
    // A call that never began leaves open what was open.
    const open = wide && progress.open
    if (failed.over && open && whenUnknown !== 'repeat')
      return { ...progress, state: 'held', dueAt: now, why: tooLong(outcome.why) }
    if (failed.over) return { ...settled, state: 'dead', why: tooLong(outcome.why) }
    const dueAt = latest(failed.dueAt, outcome.notBefore)
    return { ...failed.progress, open, state: 'waiting', dueAt, why: outcome.why }
  }

  switch (whenUnknown) {
    case 'repeat':
      if (failed.over) return { ...settled, state: 'dead', why: tooLong(outcome.why) }
      return { ...failed.progress, open: true, state: 'waiting', dueAt: failed.dueAt, why: outcome.why }
    case 'hold':
      return { ...progress, open: true, state: 'held', dueAt: now, why: `uncertain: ${outcome.why}` }
    case 'find':
      if (outcome.code === FIND_UNFINISHED) return whenUnfinished(now, progress, outcome, everybodys)
      return outcome.code === FIND_FAILED || outcome.code === FIND_UNANSWERED
        ? whenNotFoundOut(now, progress, outcome, everybodys)
        : whenFindable(now, outcome, failed, landing)
  }
}

const OWN: Evidence = { own: true, alone: null }

/** An uncertain effect is looked for once it must have landed. */
function whenFindable(now: Instant, outcome: Outcome & { type: 'unknown' }, failed: Failure, landing: number): Next {
  const open = { ...failed.progress, finds: 0, open: true, why: outcome.why }
  if (failed.over) return { ...open, state: 'held', dueAt: now, why: tooLong(outcome.why) }
  return { ...open, state: 'waiting', dueAt: latest(failed.dueAt, now + landing) }
}

/** A look that came further goes on soon, and does not count: but for an hour, so that one without an end ends, too. */
function whenUnfinished(
  now: Instant,
  progress: Progress,
  outcome: Outcome & { type: 'unknown' },
  everybodys: boolean,
): Next {
  const failingSince = sinceOf(progress, now)
  if (now - failingSince >= LONGEST_LOOK) return whenNotFoundOut(now, progress, outcome, everybodys)
  return { ...progress, failingSince, open: true, state: 'waiting', dueAt: now + NEXT_PART, why: outcome.why }
}

/** A look that fails is repeated, soon at first; a person decides after the last, unless nobody gets through. */
function whenNotFoundOut(
  now: Instant,
  progress: Progress,
  outcome: Outcome & { type: 'unknown' },
  everybodys: boolean,
): Next {
  const finds = everybodys
    ? Math.max(progress.finds, Math.min(progress.finds + 1, FINDS_WHILE_NOBODY))
    : progress.finds + 1
  const delay = everybodys ? findDelay(Math.min(finds, FINDS_WHILE_NOBODY)) : findDelay(finds)
  const failingSince = everybodys ? now : sinceOf(progress, now)
  const looked = { ...progress, finds, failingSince, open: true }
  if (delay === null) return { ...looked, state: 'held', dueAt: now, why: `uncertain: ${outcome.why}` }
  return { ...looked, state: 'waiting', dueAt: now + delay, why: outcome.why }
}

/** The code of an unknown outcome that comes from the look itself, not from the call. */
export const FIND_FAILED = 'find-failed'

/** The same, where the lookup itself made what was still missing of the effect, and got no answer: that may still take effect. */
export const FIND_UNANSWERED = 'find-unanswered'

/** The same, where the look came further than the one before. */
export const FIND_UNFINISHED = 'find-unfinished'

/** How soon an unfinished look goes on, and for how long at most (milliseconds). */
const NEXT_PART = 5_000
const LONGEST_LOOK = 60 * 60_000

interface Failure {
  progress: Omit<Progress, 'open'>
  dueAt: Instant
  over: boolean
}

function fail(now: Instant, random: number, progress: Progress): Failure {
  const failingSince = sinceOf(progress, now)
  const tries = progress.tries + 1
  return {
    progress: { tries, finds: 0, failingSince },
    dueAt: now + itemDelay(tries, random),
    over: now - failingSince >= ITEM_LIFETIME,
  }
}

/**
 * The delivery failed while nobody got through: the destination may be at fault, or it is this one. It counts, so that others are tried
 * before it; but its three days begin only with the last such try, and it is due again in minutes: a destination that was
 * away for long has aged nothing, and nobody waits for hours when it is back. What may be there already, and is repeated
 * unseen, goes out less and less often, as always. A refusal of this one alone is followed from its first on.
 */
function failWithOthers(
  now: Instant,
  random: number,
  progress: Progress,
  outcome: Outcome,
  whenUnknown: WhenUnknown,
  isAlone: boolean,
): Failure {
  const copies = outcome.type === 'unknown' && !wasCut(outcome) && whenUnknown === 'repeat'
  const most = wasCut(outcome) ? MOST_WHILE_SILENT : copies ? Number.POSITIVE_INFINITY : MOST_WHILE_REFUSED
  const tries = Math.max(progress.tries, Math.min(progress.tries + 1, most))
  const delay = copies ? repeatDelay(tries, random) : silentDelay(tries, random)
  const failingSince = isAlone && outcome.type === 'retry' && outcome.mayBeWide ? sinceOf(progress, now) : now
  return { progress: { tries, finds: progress.finds, failingSince }, dueAt: now + delay, over: false }
}

function latest(dueAt: Instant, notBefore: Instant | null): Instant {
  return notBefore === null ? dueAt : Math.max(dueAt, notBefore)
}

/** Since when it has been failing: a clock that was ahead makes it no later than now. */
function sinceOf({ failingSince }: Pick<Progress, 'failingSince'>, now: Instant): Instant {
  return Math.min(failingSince ?? now, now)
}

function tooLong(why: string): string {
  return `failing for three days: ${why}`
}

/** So often a delivery goes out with others, when the process died or stalled each time; the next time it runs isolated. */
export const ISOLATED_AT = 2

/** After so many it is held: isolated as it was the last time, it is the one. */
export const HELD_AT = ISOLATED_AT + 1
