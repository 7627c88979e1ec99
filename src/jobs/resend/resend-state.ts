import { z } from 'zod'
import type { Instant } from '../../domain/values/instant.ts'
import { isStillToCome } from '../../domain/values/still-to-come.ts'
import { Held } from '../pulls/held.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** An event is sent again at most so often within a day (spec, Events 3: regularly, but not for ever). */
const MOST_TRIES = 5

/** How far a run goes back behind its checkpoint: an outcome is written some time after its event arose. */
const OVERLAP = HOUR

/** How far back the first look at a subscription goes. */
const FIRST_LOOK = 7 * DAY

/** An event that cannot be settled holds the checkpoint back, but no longer than this: each run reads the log from there. */
const LONGEST_LOOK = 30 * DAY

/** The job's memory between its runs. */
export type ResendState = z.output<typeof State>

const State = z.object({
  /** By subscription: every event before is settled. */
  checkpoints: z.record(z.string(), z.number()),
  /** By event: when it was sent again. */
  tries: z.record(z.string(), z.array(z.number())),
  /** Events that could be neither sent again nor taken, and were reported. */
  lost: z.array(z.string()),
  /** Subscriptions of whose log rows could not be read. */
  held: Held.default({}),
  /** The log reads what it is asked by the clock that it writes; null: not learned yet. */
  sameClock: z.boolean().nullable().default(null),
})

/** Reads what was left; what cannot be read is begun anew. */
export function readResendState(state: unknown): ResendState {
  return State.safeParse(state).data ?? { checkpoints: {}, tries: {}, lost: [], held: {}, sameClock: null }
}

/** The state that the next run needs: checkpoints of subscriptions that are still ours, tries of the last day. */
export function trimmed(state: ResendState, webhookIds: readonly string[], now: Instant): ResendState {
  const checkpoints = Object.entries(state.checkpoints).filter(([id]) => webhookIds.includes(id))
  const tries = Object.entries(state.tries)
    .map(([id, all]) => [id, recent(all, now)] as const)
    .filter(([, all]) => all.length > 0)
  return { ...state, checkpoints: Object.fromEntries(checkpoints), tries: Object.fromEntries(tries) }
}

/** Whether an event has been sent again as often as it may be. */
export function isExhausted(state: ResendState, event: string, now: Instant): boolean {
  return recent(state.tries[event] ?? [], now).length >= MOST_TRIES
}

/** Notes that an event is sent again. */
export function addTry(state: ResendState, event: string, now: Instant): void {
  state.tries[event] = [...recent(state.tries[event] ?? [], now), now]
}

/** Where to begin reading the log of a subscription. A checkpoint that is still to come was written by a clock that was ahead. */
export function lookFrom(checkpoint: Instant | undefined, now: Instant): Instant {
  const known = checkpoint === undefined || isStillToCome(checkpoint, now) ? now - FIRST_LOOK : checkpoint
  return Math.max(known - OVERLAP, now - LONGEST_LOOK)
}

/** The checkpoint by which the next look begins here. */
export function checkpointAt(from: Instant): Instant {
  return from + OVERLAP
}

function recent(tries: readonly Instant[], now: Instant): Instant[] {
  return tries.filter((at) => at > now - DAY)
}
