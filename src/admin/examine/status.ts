import type { RowsAside } from '../../domain/health/health.ts'
import type { Failing, Lane, Trouble, Urgency } from '../../domain/queue/lane.ts'
import { adviceOn, isDown } from '../../domain/queue/outcome.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Clock } from '../../lib/clock.ts'
import { OWN_VERSION } from '../../lib/own-version.ts'
import type { Pause } from '../../store/kept.ts'
import type { DestinationStatus, StoreStatus } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'

/** The worker's word on one destination. */
export interface LaneWork {
  destination: string
  /** Calls under way of each lane. */
  inFlight: Readonly<Record<Urgency, number>>
  trouble: Trouble | null
  failing: Failing | null
  tookAt: Instant | null
  callsPerSecond: number | null
}

/** Requests that the receiver has in hand now, and those that it refused since the hub started. */
export interface Requests {
  connections: number
  /** Bytes of all bodies. */
  inHand: number
  /** How often, by the reason. */
  refused: Record<string, number>
  /** The same by the interface that refused (`/admin`), for those reasons of which it is known. */
  refusedAt: Record<string, Record<string, number>>
}

/** Trouble with what it means and what to do. */
export interface ToldTrouble extends Trouble {
  means: string
  todo: string
  /** Waiting would have healed it by now, or never will. */
  down: boolean
}

/** Everything that is not as it should be, destination by destination. */
export interface Status {
  /** The version of the hub that answers. */
  version: string
  destinations: (Omit<DestinationStatus, 'destination'> & {
    name: string
    /** Calls of this lane that are under way. */
    inFlight: number
    trouble: ToldTrouble | null
    /** Calls of one operation that fail, with none of it that got through since. */
    failing: Failing | null
    /** When the last call began that was carried out; null: none since the hub started. */
    tookAt: Instant | null
    /** The limit on calls since it refused more as too many; null: as fast as it goes. */
    callsPerSecond: number | null
    paused: Pause | null
    /** False: deliveries are owed to it, but config does not have it any more. */
    configured: boolean
  })[]
  events: StoreStatus['events']
  requests: Requests
  /** Rows of the platform's lists that cannot be read, as far as this hub has asked. */
  aside: RowsAside[]
}

/** The word of a hub's parts on themselves, besides its store. */
export interface Working {
  working: () => LaneWork[]
  /** Names of the destinations that config has. */
  destinations: readonly string[]
  requests: () => Requests
  /** Rows of the platform's lists that cannot be read. */
  aside: () => RowsAside[]
  clock: Pick<Clock, 'now'>
}

/** Counts the store, and joins it with what the others say. */
export async function readStatus(store: Pick<Store, 'status' | 'paused'>, parts: Working): Promise<Status> {
  const [counted, paused] = await Promise.all([store.status(), store.paused()])
  return statusOf(counted, paused, parts)
}

/** Joins what the store counts, what the worker does, and what config has. */
export function statusOf(
  counted: StoreStatus,
  paused: readonly PausedLane[],
  { working, destinations, requests, aside, clock }: Working,
): Status {
  const lanes = lanesOf(counted.destinations, paused, working(), destinations).map((lane) => ({
    ...lane,
    trouble: lane.trouble && told(lane.trouble, clock.now()),
  }))
  return {
    version: OWN_VERSION,
    destinations: lanes,
    events: counted.events,
    requests: requests(),
    aside: aside(),
  }
}

type PausedLane = Pause & { lane: Lane }

/** Every lane in which something is owed, and one of each other destination that config has; by name. */
export function lanesOf(
  counted: readonly DestinationStatus[],
  paused: readonly PausedLane[],
  working: readonly LaneWork[],
  configured: readonly string[],
) {
  const counts = { waiting: 0, retrying: 0, held: 0, dead: 0 }
  const nothing = { urgency: 'prompt' as const, ...counts, oldest: null, oldestWaiting: null, oldestHeld: null }
  const isIdle = (name: string) => counted.every(({ destination }) => destination !== name)
  const idle = configured.filter(isIdle).map((destination) => ({ ...nothing, destination }))
  return [...counted, ...idle]
    .map(({ destination: name, urgency, ...counts }) => {
      const work = working.find(({ destination }) => destination === name)
      const pause = paused.find(({ lane }) => lane.destination === name && lane.urgency === urgency)
      return {
        name,
        urgency,
        ...counts,
        inFlight: work?.inFlight[urgency] ?? 0,
        trouble: work?.trouble ?? null,
        failing: work?.failing ?? null,
        tookAt: work?.tookAt ?? null,
        callsPerSecond: work?.callsPerSecond ?? null,
        paused: pause ? { until: pause.until, why: pause.why } : null,
        configured: configured.includes(name),
      }
    })
    .sort((a, b) => a.name.localeCompare(b.name))
}

function told(trouble: Trouble, now: Instant): ToldTrouble {
  const { means, todo } = adviceOn(trouble.code)
  return { ...trouble, means, todo, down: isDown(trouble, now) }
}
