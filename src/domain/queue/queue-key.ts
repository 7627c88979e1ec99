import type { Instant } from '../values/instant.ts'
import { probeDelay } from './retry.ts'

export type Urgency = 'prompt' | 'bulk'
export const URGENCIES: readonly Urgency[] = ['prompt', 'bulk']

export interface QueueKey {
  destination: string
  urgency: Urgency
}

export function queueName({ destination, urgency }: QueueKey): string {
  return `${urgency} ${destination}`
}

export interface OpenCircuit {
  since: Instant
  failures: number
  until: Instant
  notBefore: Instant | null
  code: string
  why: string
}

export interface Failing {
  since: Instant
  calls: number
  code: string
  why: string
}

/** What a worker says of one destination. */
export interface DestinationWork {
  destination: string
  inFlight: Readonly<Record<Urgency, number>>
  outage: OpenCircuit | null
  failing: Failing | null
  tookAt: Instant | null
  callsPerSecond: number | null
}

/** Outage worth an alarm (ms). */
export const OUTAGE_ALARM = 15 * 60_000

export function afterClockSet(outage: OpenCircuit, now: Instant): OpenCircuit {
  return { ...outage, since: Math.min(outage.since, now), until: now, notBefore: null }
}

export function inOutage(
  before: OpenCircuit | null,
  now: Instant,
  random: number,
  met: Pick<OpenCircuit, 'code' | 'why' | 'notBefore'> & { since?: Instant; pauses?: boolean },
): OpenCircuit {
  const { since = now, code, why, notBefore, pauses = true } = met
  const failures = (before?.failures ?? 0) + 1
  const pause = pauses ? probeDelay(failures, random) : 0
  const until = Math.max(now + pause, notBefore ?? 0)
  return { since: before?.since ?? since, failures, until, notBefore, code, why }
}

export interface Run {
  since: Instant
  calls: number
  first: number
  several: boolean
}

export const CALLS = 3

export function longer(run: Run | null, now: Instant, delivery: number, calls = 1, several = false): Run {
  if (!run) return { since: now, calls, first: delivery, several }
  return { ...run, calls: run.calls + calls, several: run.several || several || run.first !== delivery }
}

export function isOutage({ calls }: Run): boolean {
  return calls >= CALLS
}

/** Share of 429s beyond which a destination is slowed. */
const MAX_REFUSED = 0.1
/** Answers judged together, their time (ms), and the minimum. */
const ANSWERS = 20
const FEWEST = 5
const SHORTEST = 200
const LONGEST = 5_000
const SECOND = 1_000
/** Calls per second. */
const SLOWEST = 0.1
const FASTER = 1.25
/** Seconds of calls at once. */
const BURST = 0.1

export type Pace = ReturnType<typeof createPace>

/** Adaptive rate: unlimited until more than a few 429s, then the rate that was taken, growing while it is. */
export function createPace() {
  let limit: number | null = null
  let window: { since: Instant; taken: number; refused: number } | null = null
  let room = 0
  let at: Instant = 0

  function roomAt(now: Instant, perSecond: number): number {
    return Math.min(Math.max(1, perSecond * BURST), room + (Math.max(0, now - at) / SECOND) * perSecond)
  }

  return {
    limit: () => limit,
    callsAt: (now: Instant) => (limit === null ? Number.POSITIVE_INFINITY : Math.floor(roomAt(now, limit))),
    opensAt(now: Instant): Instant | null {
      if (limit === null) return null
      const lacking = 1 - roomAt(now, limit)
      return lacking <= 0 ? null : now + Math.ceil((lacking / limit) * SECOND)
    },
    passed(calls: number, now: Instant): void {
      if (limit !== null) [room, at] = [roomAt(now, limit) - calls, now]
    },
    /** `limited`, `unlimited`: since this answer. */
    follow(now: Instant, isRefused: boolean): 'limited' | 'unlimited' | null {
      window ??= { since: now, taken: 0, refused: 0 }
      window[isRefused ? 'refused' : 'taken'] += 1
      const { since, taken, refused } = window
      const answers = taken + refused
      const time = now - since
      if (time < (answers < ANSWERS ? LONGEST : SHORTEST)) return null
      window = null
      if (limit === null && answers < FEWEST) return null
      const wasLimited = limit !== null
      const perSecond = (count: number) => (count * SECOND) / time
      if (refused > MAX_REFUSED * answers) {
        limit = Math.max(SLOWEST, perSecond(taken), (limit ?? perSecond(answers)) / 4)
        ;[room, at] = [0, now]
      } else if (limit !== null) {
        ;[room, at] = [roomAt(now, limit), now]
        // Remove a limit that no longer limits.
        limit = perSecond(answers) < limit / 2 ? null : limit * FASTER
      }
      if (wasLimited === (limit !== null)) return null
      return wasLimited ? 'unlimited' : 'limited'
    },
    clockWasSet(now: Instant): void {
      window = null
      at = now
    },
  }
}
