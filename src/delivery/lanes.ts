import type { Failing, Trouble, Urgency } from '../domain/queue/lane.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Logger } from '../lib/logger.ts'
import type { Destination } from './destination.ts'
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts'
import type { TroubleWatch } from './trouble.ts'

/** The two lanes of one destination. They share its slots, so they are worked on together. */
export interface Lanes {
  destination: Destination
  watch: TroubleWatch
  limiter: RateLimiter
  /** Calls under way of each lane, and those that the worker before this one has begun. */
  inFlight: Record<Urgency, number>
  /** Calls that are over, and whose results are not on the disk yet: a process that dies now makes them again. */
  unwritten: number
  /** Calls of this worker. */
  calls: Set<Call>
  /** There may be more to claim than there was room for: a slot that becomes free is worth a round. */
  short: boolean
  /** A round is under way. */
  busy: boolean
  /** Lanes that the next round looks at. */
  wanted: Record<Urgency, boolean>
  /** When the next delivery of each lane is due. */
  dueAt: Record<Urgency, number | null>
  cancelTimer: () => void
  /** Callers who wait for what comes of a probe. */
  probes: (() => void)[]
}

/** A call that is under way, of one of the lanes. */
export interface Call {
  urgency: Urgency
  /** Resolves when it is over. */
  over: Promise<void>
}

/** The doings of one destination. */
export interface WorkerStatus {
  destination: string
  /** Calls under way of each lane. */
  inFlight: Readonly<Record<Urgency, number>>
  trouble: Trouble | null
  /** Calls of one operation that fail, and of which nothing got through since; null: none, or all of it is in trouble. */
  failing: Failing | null
  /** When the last call began that was carried out; null: none since the hub started. */
  tookAt: Instant | null
  /** The limit on calls since it refused more as too many; null: as fast as it goes. */
  callsPerSecond: number | null
}

export function createLanes(destination: Destination, watch: TroubleWatch, logger: Logger): Lanes {
  return {
    destination,
    watch,
    limiter: createRateLimiter(destination.name, logger),
    inFlight: { prompt: 0, bulk: 0 },
    unwritten: 0,
    calls: new Set(),
    short: false,
    busy: false,
    wanted: { prompt: false, bulk: false },
    dueAt: { prompt: null, bulk: null },
    cancelTimer: () => {},
    probes: [],
  }
}

/**
 * How many calls can begin. Where a second call would be seen, what is not written down takes a slot, too: so many calls at most
 * are made again after the process was killed. Bulk never takes the last free slot, nor does what yields; a destination in trouble is probed by one call at a time.
 */
export function roomFor(lanes: Lanes, urgency: Urgency, now: Instant): number {
  const { destination, unwritten, watch, limiter } = lanes
  const underWay = underWayOf(lanes)
  if (watch.current()) return underWay > 0 ? 0 : 1
  const { concurrency } = destination.lane
  const free = concurrency - underWay - (showsRepeats(destination) ? unwritten : 0)
  return Math.min(urgency === 'prompt' || concurrency === 1 ? free : free - 1, limiter.room(now))
}

/** Calls under way of both lanes: they share the slots. */
export function underWayOf({ inFlight }: Pick<Lanes, 'inFlight'>): number {
  return inFlight.prompt + inFlight.bulk
}

/** Raw events go out under an id of theirs (webhook-id): whoever takes them twice, knows it. Of other calls not everybody does. */
function showsRepeats({ ports }: Destination): boolean {
  return Object.keys(ports).some((port) => port !== 'publish')
}
