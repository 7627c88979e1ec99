import { TROUBLE_ALARM, type Trouble, troubled } from '../domain/lane.ts'
import { gotThrough, nobodyGotThrough, type Outcome, wasCut } from '../domain/outcome.ts'
import type { Logger } from '../lib/logger.ts'

/** Whether this one had its effect is not known, but what comes next would fare the same: it should not go the same way. */
const GATEWAY = ['http-502', 'http-504']

/** Whether one destination as a whole is in trouble, seen from the outcomes of its attempts. */
export function createTroubleWatch(destination: string, random: () => number, logger: Logger) {
  let trouble: Trouble | null = null
  let alarmed = false
  /** Somebody has got through since a call was cut short last. Of a hub that has just started nobody knows. */
  let answering = false

  function met(outcome: Outcome & { why: string }, now: number) {
    if (!trouble) logger.warn({ destination, why: outcome.why }, 'destination.trouble')
    const notBefore = outcome.type === 'retry' ? outcome.notBefore : null
    trouble = troubled(trouble, now, random(), outcome.why, notBefore)
    if (now - trouble.since < TROUBLE_ALARM || alarmed) return
    alarmed = true
    logger.error({ destination, since: new Date(trouble.since), why: outcome.why }, 'destination.down')
  }

  return {
    current: (): Trouble | null => trouble,

    /** Whether what hangs may be blamed for it: the destination answers others. */
    answers: (): boolean => answering && trouble === null,

    /** Follows an attempt that made a call. True: something changed. */
    follow(outcome: Outcome, now: number): boolean {
      // Calls that were already out when it began say nothing new, and do not end a pause that the other side asked for.
      if (trouble && now < trouble.until) return false
      const cut = wasCut(outcome)
      if (gotThrough(outcome)) answering = true
      else if (cut || nobodyGotThrough(outcome)) answering = false
      const gatewayGaveUp = outcome.type === 'unknown' && GATEWAY.includes(outcome.code)
      const silent = outcome.type === 'unknown' || (outcome.type === 'retry' && cut)
      if (nobodyGotThrough(outcome) || gatewayGaveUp || (trouble && silent)) {
        met(outcome, now)
        return true
      }
      if (!trouble) return false
      logger.info({ destination, ms: now - trouble.since }, 'destination.recovered')
      trouble = null
      alarmed = false
      return true
    },
  }
}

export type TroubleWatch = ReturnType<typeof createTroubleWatch>
