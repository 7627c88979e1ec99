import { type Instant, isInFuture } from '../values/instant.ts'
import { type Evidence, isRateLimited, mayBeDestinationWide, type Outcome, wasCut } from './outcome.ts'
import {
  FINDS_WHILE_NOBODY,
  findDelay,
  ITEM_LIFETIME,
  itemDelay,
  MAX_WHILE_REFUSED,
  MAX_WHILE_SILENT,
  OUTAGE_REPEAT,
  OUTAGE_RETRY,
  TOO_MANY_DELAY,
} from './retry.ts'

export type DeliveryState = 'waiting' | 'claimed' | 'held' | 'delivered' | 'dead' | 'skipped' | 'superseded'
export const UNSETTLED: ReadonlySet<DeliveryState> = new Set(['waiting', 'claimed', 'held', 'dead'])
export type WhenUnknown = 'repeat' | 'find' | 'hold'

export interface Progress {
  tries: number
  finds: number
  failingSince: Instant | null
  open: boolean
}

export interface Next extends Progress {
  state: 'waiting' | 'held' | 'delivered' | 'superseded' | 'dead'
  dueAt: Instant
  why: string | null
}

/** The delivery state machine (docs/delivery.md). */
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

  // Waiting for a dependency is no failure.
  if (outcome.type === 'wait') return { ...progress, state: 'waiting', dueAt: outcome.until, why: outcome.why }

  // Destination unreachable: the attempt is not counted, the in-doubt flag is unchanged.
  const wide = outcome.type === 'retry' && outcome.scope === 'destination'
  if (wide && !wasCut(outcome)) {
    const dueAt = isRateLimited(outcome) ? now + TOO_MANY_DELAY : now
    return { ...progress, state: 'waiting', dueAt, why: outcome.why }
  }

  const isDestinationWide = !own && mayBeDestinationWide(outcome)
  const failed = isDestinationWide
    ? failWithOthers(now, random, progress, outcome, whenUnknown, alone !== null)
    : fail(now, random, progress)
  if (outcome.type === 'retry') {
    // A call never sent leaves the doubt unchanged.
    const open = wide && progress.open
    if (failed.over && open && whenUnknown !== 'repeat')
      return { ...progress, state: 'held', dueAt: now, why: tooLong(outcome.why) }
    if (failed.over) return { ...settled, state: 'dead', why: tooLong(outcome.why) }
    const dueAt = latest(failed.dueAt, outcome.notBefore)
    return { ...failed.progress, open, state: 'waiting', dueAt, why: outcome.why }
  }

  const { why } = outcome
  switch (whenUnknown) {
    case 'repeat':
      if (failed.over) return { ...settled, state: 'dead', why: tooLong(why) }
      return { ...failed.progress, open: true, state: 'waiting', dueAt: failed.dueAt, why }
    case 'hold':
      return { ...progress, open: true, state: 'held', dueAt: now, why: `uncertain: ${why}` }
    case 'find': {
      if (outcome.code === FIND_UNFINISHED) return whenUnfinished(now, progress, why, isDestinationWide)
      if (outcome.code === FIND_FAILED || outcome.code === FIND_UNANSWERED)
        return whenNotFoundOut(now, progress, why, isDestinationWide)
      const open = { ...failed.progress, finds: 0, open: true }
      if (failed.over) return { ...open, state: 'held', dueAt: now, why: tooLong(why) }
      return { ...open, state: 'waiting', dueAt: latest(failed.dueAt, now + landing), why }
    }
  }
}

const OWN: Evidence = { own: true, alone: null }

function whenUnfinished(now: Instant, progress: Progress, why: string, isDestinationWide: boolean): Next {
  const failingSince = sinceOf(progress, now)
  if (now - failingSince >= LONGEST_LOOK) return whenNotFoundOut(now, progress, why, isDestinationWide)
  return { ...progress, failingSince, open: true, state: 'waiting', dueAt: now + NEXT_PART, why }
}

function whenNotFoundOut(now: Instant, progress: Progress, why: string, isDestinationWide: boolean): Next {
  const finds = isDestinationWide
    ? Math.max(progress.finds, Math.min(progress.finds + 1, FINDS_WHILE_NOBODY))
    : progress.finds + 1
  const delay = isDestinationWide ? findDelay(Math.min(finds, FINDS_WHILE_NOBODY)) : findDelay(finds)
  const failingSince = isDestinationWide ? now : sinceOf(progress, now)
  const looked = { ...progress, finds, failingSince, open: true }
  if (delay === null) return { ...looked, state: 'held', dueAt: now, why: `uncertain: ${why}` }
  return { ...looked, state: 'waiting', dueAt: now + delay, why }
}

export const FIND_FAILED = 'find-failed'
export const FIND_UNANSWERED = 'find-unanswered'
export const FIND_UNFINISHED = 'find-unfinished'
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

function failWithOthers(
  now: Instant,
  random: number,
  progress: Progress,
  outcome: Outcome,
  whenUnknown: WhenUnknown,
  isAlone: boolean,
): Failure {
  const copies = outcome.type === 'unknown' && !wasCut(outcome) && whenUnknown === 'repeat'
  const most = wasCut(outcome) ? MAX_WHILE_SILENT : copies ? Number.POSITIVE_INFINITY : MAX_WHILE_REFUSED
  const tries = Math.max(progress.tries, Math.min(progress.tries + 1, most))
  const delay = itemDelay(tries, random, copies ? OUTAGE_REPEAT : OUTAGE_RETRY)
  const failingSince = isAlone && outcome.type === 'retry' && outcome.mayBeWide ? sinceOf(progress, now) : now
  return { progress: { tries, finds: progress.finds, failingSince }, dueAt: now + delay, over: false }
}

function latest(dueAt: Instant, notBefore: Instant | null): Instant {
  return notBefore === null ? dueAt : Math.max(dueAt, notBefore)
}

function sinceOf({ failingSince }: Pick<Progress, 'failingSince'>, now: Instant): Instant {
  return Math.min(failingSince ?? now, now)
}

function tooLong(why: string): string {
  return `failing for three days: ${why}`
}

export const ISOLATED_AT = 2
export const HELD_AT = ISOLATED_AT + 1

// An unanswered call may take effect late: for `inDoubtFor` after it an empty lookup proves nothing.

export const NOT_FOUND_YET = 'not-found-yet'
export const MAY_STILL_LAND = 'may-still-land'
export const MAY_REPEAT = 'may-repeat'
export const NO_TIME_LEFT = 'no-time-left'
const CALLED_NOTHING = new Set([FIND_FAILED, FIND_UNFINISHED, NO_TIME_LEFT, 'cannot-find', 'uncertain'])

/** End of the last call in doubt; else the first empty lookup, else now. Times in the future are ignored. */
export function inDoubtSince(
  attempts: readonly { at: Instant; ms: number; outcome: string; code: string }[],
  now: Instant,
): Instant {
  const past = attempts.filter(({ at }) => !isInFuture(at, now))
  const call = past.findLast(({ outcome, code }) => outcome === 'unknown' && !CALLED_NOTHING.has(code))
  if (call) return Math.min(call.at + call.ms, now)
  return past.find(({ code }) => code === NOT_FOUND_YET)?.at ?? now
}

/** Next lookup, at doubling pauses until the doubt ends; null: it has ended. `landing`: shortest pause (ms). */
export function nextLookup(since: Instant, now: Instant, inDoubtFor: number, landing: number): Instant | null {
  const end = since + inDoubtFor
  return now >= end ? null : Math.min(end, now + Math.max(landing, now - since))
}

/** A resent message is a delivery of its own, with a step key that names the first. */
const RETRY_SUFFIX = '~again-'

export function partAgain({ part, id }: { part: string; id: number }, times: number): string {
  return `${partOf(part)}${RETRY_SUFFIX}${id}${times === 0 ? '' : `.${times}`}`
}

export function partOf(part: string): string {
  const at = part.indexOf(RETRY_SUFFIX)
  return at < 0 ? part : part.slice(0, at)
}

export function isAgain(part: string): boolean {
  return partOf(part) !== part
}

export function repeats(part: string, id: number): boolean {
  const at = part.indexOf(RETRY_SUFFIX)
  return at >= 0 && part.slice(at + RETRY_SUFFIX.length).split('.')[0] === String(id)
}

export function effectAgain(effect: string, part: string): string {
  return `${effect}${part.slice(part.indexOf(RETRY_SUFFIX))}`
}

export function keyOfFirst(key: string): string {
  return key.replace(/:?~again-\d+(?:(?:\.|%2E)\d+)?/, '')
}
