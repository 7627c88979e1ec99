import { causeOf, gotThrough, mayBeEverybodys, refusesUs, wantsFewer } from '../domain/queue/blame.ts'
import { afterClockSet, TROUBLE_ALARM, type Trouble, troubled } from '../domain/queue/lane.ts'
import { nobodyGotThrough, type Outcome } from '../domain/queue/outcome.ts'
import { isTrouble, longer, type Run } from '../domain/queue/run.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Logger } from '../lib/logger.ts'

/** Whether this one had its effect is not known, but what comes next would fare the same: it should not go the same way. */
const GATEWAY = ['http-502', 'http-504']

/** A destination that has refused all as too many for so long (milliseconds) is not only asked too fast. */
const NOTHING_BUT_TOO_MANY = 60_000

/** The call that an outcome is of. */
interface Called {
  /** The delivery, or the first of several. */
  delivery: number
  at: Instant
  /** Since when that one has been failing; null: it has not. */
  failingSince: Instant | null
}

/** Whether one destination as a whole is in trouble, seen from the outcomes of its attempts. */
export function createTroubleWatch(destination: string, random: () => number, logger: Logger) {
  let trouble: Trouble | null = null
  let run: Run | null = null
  let alarmed = false
  /** The code by which it refused us last, and was told of. */
  let refusedAs: string | null = null
  /** Nothing goes out but probes. */
  let pauses = false
  let tooManySince: Instant | null = null
  /** When the last call began that was carried out. Of a hub that has just started nobody knows. */
  let tookAt: Instant | null = null

  function met(outcome: Outcome & { why: string; code: string }, now: number) {
    const { why } = outcome
    const code = causeOf(outcome)
    if (!trouble) logger.warn({ destination, code, why }, 'destination.trouble')
    // Waiting heals nothing: somebody has to act, and knows it at once.
    if (refusesUs(code) && refusedAs !== code) logger.error({ system: destination, code, why }, 'credentials.refused')
    if (refusesUs(code)) refusedAs = code
    const notBefore = outcome.type === 'retry' ? outcome.notBefore : null
    trouble = troubled(trouble, now, random(), { since: run?.since ?? now, code, why, notBefore, pauses })
    if (now - trouble.since < TROUBLE_ALARM || alarmed) return
    alarmed = true
    logger.error({ destination, since: new Date(trouble.since), code, why }, 'destination.down')
  }

  function recovered(now: number): boolean {
    run = null
    tooManySince = null
    if (!trouble) return false
    logger.info({ destination, ms: now - trouble.since }, 'destination.recovered')
    if (refusedAs !== null) logger.info({ system: destination }, 'credentials.accepted')
    refusedAs = null
    trouble = null
    alarmed = false
    pauses = false
    return true
  }

  /** Whether it has carried out what was sent since this instant: what has failed since then fails on its own account. */
  const hasTakenSince = (since: Instant | null): boolean =>
    trouble === null && since !== null && tookAt !== null && tookAt >= since

  return {
    current: (): Trouble | null => trouble,
    hasTakenSince,

    /**
     * The next delivery is tried at once instead of after the pause, unless the other side itself named an instant before which
     * it takes nothing; a person's `anyway` tries all the same. False: there is nothing to wait for.
     */
    tryNow(now: Instant, anyway: boolean): boolean {
      if (trouble === null) return false
      trouble = { ...trouble, until: Math.max(now, (anyway ? null : trouble.notBefore) ?? now) }
      return true
    },

    /** The clock was set: a pause by the one of before may never end. */
    clockWasSet(now: Instant): void {
      if (trouble !== null) trouble = afterClockSet(trouble, now)
      if (run !== null) run = { ...run, since: Math.min(run.since, now) }
      if (tooManySince !== null) tooManySince = now
      tookAt = null
    },

    /** Follows an attempt that made a call. True: something changed. */
    follow(outcome: Outcome, now: number, { delivery, at, failingSince }: Called): boolean {
      if (outcome.type === 'delivered') tookAt = Math.max(tookAt ?? at, at)
      // Calls that were already out when it began say nothing new, and do not end a pause that the other side asked for.
      if (trouble && now < trouble.until) return false
      if (outcome.type === 'delivered' || gotThrough(outcome)) return recovered(now)
      if (wantsFewer(outcome)) tooManySince ??= now
      const isSlowedOnly = tooManySince !== null && now - tooManySince < NOTHING_BUT_TOO_MANY
      if (wantsFewer(outcome) && isSlowedOnly && !trouble) return false
      const gatewayGaveUp = outcome.type === 'unknown' && GATEWAY.includes(outcome.code)
      if (nobodyGotThrough(outcome) || gatewayGaveUp) pauses = true
      else {
        if (!mayBeEverybodys(outcome) && !trouble) return false
        if (hasTakenSince(failingSince)) return false
        run = longer(run, now, delivery)
        pauses ||= run.several
        if (!trouble && !isTrouble(run)) return false
      }
      met(outcome, now)
      return true
    },
  }
}

export type TroubleWatch = ReturnType<typeof createTroubleWatch>
