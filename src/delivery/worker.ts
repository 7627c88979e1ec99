import { setImmediate as breath } from 'node:timers/promises'
import type { Failing, Trouble, Urgency } from '../domain/queue/lane.ts'
import { StoreUnavailableError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Flow } from '../flows/flow.ts'
import type { Clock } from '../lib/clock.ts'
import type { EventLoop } from '../lib/event-loop.ts'
import type { Logger } from '../lib/logger.ts'
import { createTable } from '../lib/table.ts'
import type { Mappings } from '../payloads/mapping/mapping.ts'
import type { Claim } from '../store/claim.ts'
import type { Store } from '../store/store.ts'
import { createCarryOut, leaseOf } from './calling/carry-out.ts'
import type { Sources } from './calling/inputs.ts'
import type { Destination } from './destination.ts'
import { createReturning, createSettling } from './settling.ts'
import { createRateLimiter, createTroubleWatch, type RateLimiter, type TroubleWatch } from './trouble.ts'

interface Options extends Pick<Sources, 'orders' | 'settlements' | 'storeOf'> {
  store: Store
  destinations: readonly Destination[]
  flows: readonly Flow[]
  clock: Clock
  /** In [0, 1). */
  random: () => number
  logger: Logger
  eventLoop: Pick<EventLoop, 'hasStalledSince'>
  /** Whether deliveries of an urgency wait for room on the disk. */
  waits?: (urgency: Urgency) => boolean
  /** Where config says that fields of payloads stand. */
  mappings?: Mappings
}

const BOTH: readonly Urgency[] = ['prompt', 'bulk']
const BULK_FIRST: readonly Urgency[] = ['bulk', 'prompt']

/** Bodies of one round of claims. */
const ROUND_BYTES = 16 * 1024 * 1024

/** Results that may wait for the disk before claiming stops: a slow disk slows the sending, not the memory. */
const MOST_UNWRITTEN = 512

/** How long the last results may take to be written, and claims to be given back, when the hub stops (milliseconds). */
const LAST_WRITES = 1_000

/** An unavailable store is asked again after this (milliseconds). */
const STORE_PAUSE = 1_000

/** Whether there is room on the disk again is looked at after this (milliseconds). */
const ROOM_PAUSE = 2_000

export type Worker = ReturnType<typeof createWorker>

/** Takes deliveries that are due from the store and carries them out, lane by lane. */
export function createWorker(options: Options) {
  const { store, destinations, flows, clock, random, logger, eventLoop, waits = () => false, ...sources } = options
  const all = destinations.map((one) => createLanes(one, createTroubleWatch(one.name, random, logger), logger))
  const byName = new Map(all.map((lanes) => [lanes.destination.name, lanes]))
  const settling = createSettling(store, clock, logger)
  const returning = createReturning(store, clock, logger)
  const underWay = createTable<AbortController>()
  const isRunning = () => running
  const carryOut = createCarryOut({
    ...sources,
    store,
    flows,
    clock,
    random,
    logger,
    eventLoop,
    underWay,
    isRunning,
  })
  const atRest: (() => void)[] = []
  let running = false

  /** One round after another, never two at a time for the same destination. */
  async function pump(lanes: Lanes, urgencies: readonly Urgency[]): Promise<void> {
    if (!running) return
    for (const urgency of urgencies) lanes.wanted[urgency] = true
    if (lanes.busy) return
    lanes.busy = true
    while ((lanes.wanted.prompt || lanes.wanted.bulk) && running) {
      // Slots that become free in the same breath are filled by one claim, not by one each.
      await breath()
      if (running) await round(lanes)
    }
    lanes.busy = false
    if (underWayOf(lanes) === 0) probed(lanes)
    rest()
  }

  /** A call has ended, or there was none to make. */
  function probed(lanes: Lanes) {
    for (const resolve of lanes.probes.splice(0)) resolve()
  }

  function tryNow(destination: string, anyway: boolean): Promise<void> {
    const lanes = byName.get(destination)
    if (!lanes?.watch.tryNow(clock.now(), anyway)) return Promise.resolve()
    const done = new Promise<void>((resolve) => lanes.probes.push(resolve))
    void pump(lanes, BOTH)
    return done
  }

  async function round(lanes: Lanes): Promise<void> {
    const now = clock.now()
    const { wanted } = lanes
    lanes.wanted = { prompt: false, bulk: false }
    const trouble = lanes.watch.current()
    if (trouble && now < trouble.until) return wakeAt(lanes, trouble.until)
    // In turn: what always meets trouble must not keep the other lane from ever being the probe.
    const order = trouble && trouble.failures % 2 === 0 ? BULK_FIRST : BOTH
    try {
      for (const urgency of order) if (wanted[urgency]) lanes.dueAt[urgency] = await claim(lanes, urgency)
      const times = Object.values(lanes.dueAt).filter((at) => at !== null)
      const free = lanes.short ? lanes.limiter.opensAt(now) : null
      if (free !== null) times.push(free)
      if (times.length > 0) wakeAt(lanes, Math.min(...times))
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) logger.error({ err: error }, 'delivery.claim-failed')
      wakeAt(lanes, now + STORE_PAUSE)
    }
  }

  /** Claims as much of one lane as there is room for and starts it; returns when its next delivery is due. */
  async function claim(lanes: Lanes, urgency: Urgency): Promise<number | null> {
    if (waits(urgency)) return clock.now() + ROOM_PAUSE
    const room = settling.unwritten(urgency) >= MOST_UNWRITTEN ? 0 : roomFor(lanes, urgency, clock.now())
    if (room <= 0) {
      lanes.short = true
      return null
    }
    const { name, batch } = lanes.destination
    const claimedAt = clock.now()
    const yielding = Math.min(room, roomFor(lanes, 'bulk', claimedAt))
    const { calls, wakeAt, yieldingLeft } = await store.claim(
      { destination: name, urgency },
      // A probe: what always meets trouble must not keep what yields from ever being one.
      { calls: room, yielding, inTurn: lanes.watch.current() !== null, bytes: ROUND_BYTES, batch },
      leaseOf(lanes.destination, urgency),
    )
    if (calls.length === room || yieldingLeft) lanes.short = true
    lanes.limiter.passed(calls.length, claimedAt)
    if (!running && calls.length > 0) returning.giveBack(calls.flat().map(({ fence }) => fence))
    else for (const claims of calls) keep(lanes, { urgency, over: start(lanes, urgency, claims, claimedAt) })
    return wakeAt
  }

  function keep({ calls }: Lanes, call: Call): void {
    calls.add(call)
    void call.over.finally(() => calls.delete(call))
  }

  async function start(lanes: Lanes, urgency: Urgency, claims: Claim[], claimedAt: Instant): Promise<void> {
    lanes.inFlight[urgency] += 1
    const { destination, watch, limiter } = lanes
    const { results, at, told, ...called } = await carryOut(claims, destination, urgency, claimedAt, watch.evidenceOn)
    const [first] = claims
    if (told && first) {
      const { id: delivery, failingSince } = first.delivery
      limiter.follow(told, clock.now())
      if (watch.follow(told, clock.now(), { ...called, delivery, at, failingSince })) lanes.short = true
    }
    lanes.unwritten += 1
    settling.settle(urgency, results, () => {
      lanes.unwritten -= 1
      freed(lanes)
    })
    lanes.inFlight[urgency] -= 1
    probed(lanes)
    freed(lanes)
  }

  /** A call that the worker before has begun takes a slot until it is over. */
  async function wait(lanes: Lanes, { urgency, over }: Call): Promise<void> {
    lanes.inFlight[urgency] += 1
    await over
    lanes.inFlight[urgency] -= 1
    freed(lanes)
  }

  /** A slot, or room for a result, is free again. */
  function freed(lanes: Lanes) {
    if (lanes.short) {
      lanes.short = false
      void pump(lanes, BOTH)
    }
    rest()
  }

  function wakeAt(lanes: Lanes, at: number) {
    if (!running) return
    lanes.cancelTimer()
    lanes.cancelTimer = clock.after(at - clock.now(), () => void pump(lanes, BOTH))
  }

  /** At rest: nothing is under way, and no round is claiming. */
  function rest() {
    if (all.some((lanes) => lanes.busy || underWayOf(lanes) > 0)) return
    for (const resolve of atRest.splice(0)) resolve()
  }

  const deaf = store.onWork((lanes) => {
    for (const { destination, urgency } of lanes) {
      const one = byName.get(destination)
      if (one) void pump(one, [urgency])
    }
  })

  return {
    /** `before`: a worker that has been told to stop, and may still have calls under way; they count until they are over. */
    start(before: { callsTo(destination: string): Call[] } | null = null) {
      running = true
      for (const lanes of all) {
        for (const call of before?.callsTo(lanes.destination.name) ?? []) void wait(lanes, call)
        void pump(lanes, BOTH)
      }
    },

    /** Calls to a destination that are under way. */
    callsTo: (destination: string): Call[] => [...(byName.get(destination)?.calls ?? [])],

    /**
     * Claims nothing more, lets calls finish for so long (milliseconds), then aborts what is left, and writes every
     * result down. Told again, it waits no longer than the shortest of both.
     */
    async stop(patience: number): Promise<void> {
      running = false
      deaf()
      for (const lanes of all) lanes.cancelTimer()
      const cancel = clock.after(patience, () => {
        for (const attempt of underWay.values()) attempt.abort(new Error('the hub is stopping'))
      })
      await new Promise<void>((resolve) => {
        atRest.push(resolve)
        rest()
      })
      cancel()
      const given = Promise.withResolvers<void>()
      const cancelGiven = clock.after(LAST_WRITES, given.resolve)
      await Promise.race([Promise.all([settling.drained(), returning.drained()]), given.promise])
      cancelGiven()
      const unwritten = settling.unwritten('prompt') + settling.unwritten('bulk')
      if (unwritten > 0) logger.error({ results: unwritten }, 'delivery.results-not-written')
    },

    /** A job, or a till's question, has reached it: if it is in trouble, a delivery is tried at once. */
    reached: (destination: string): void => void tryNow(destination, false),

    /** The machine's clock was set: what waits by the one of before is looked at anew. */
    clockWasSet(): void {
      for (const lanes of all) {
        lanes.watch.clockWasSet(clock.now())
        lanes.limiter.clockWasSet(clock.now())
        void pump(lanes, BOTH)
      }
    },

    /** A person wants it tried: resolves when the call has ended, or there was none to make. */
    probe: (destination: string): Promise<void> => tryNow(destination, true),

    status: (): WorkerStatus[] =>
      all.map(({ destination, inFlight, watch, limiter }) => ({
        destination: destination.name,
        inFlight: { ...inFlight },
        trouble: watch.current(),
        failing: watch.failing(),
        tookAt: watch.tookAt(),
        callsPerSecond: limiter.limit(),
      })),
  }
}

/** The two lanes of one destination. They share its slots, so they are worked on together. */
interface Lanes {
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
interface Call {
  urgency: Urgency
  /** Resolves when it is over. */
  over: Promise<void>
}

/** The doings of one destination. */
interface WorkerStatus {
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

function createLanes(destination: Destination, watch: TroubleWatch, logger: Logger): Lanes {
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
function roomFor(lanes: Lanes, urgency: Urgency, now: Instant): number {
  const { destination, unwritten, watch, limiter } = lanes
  const underWay = underWayOf(lanes)
  if (watch.current()) return underWay > 0 ? 0 : 1
  const { concurrency } = destination.lane
  const free = concurrency - underWay - (showsRepeats(destination) ? unwritten : 0)
  return Math.min(urgency === 'prompt' || concurrency === 1 ? free : free - 1, limiter.room(now))
}

/** Calls under way of both lanes: they share the slots. */
function underWayOf({ inFlight }: Pick<Lanes, 'inFlight'>): number {
  return inFlight.prompt + inFlight.bulk
}

/** Raw events go out under an id of theirs (webhook-id): whoever takes them twice, knows it. Of other calls not everybody does. */
function showsRepeats({ ports }: Destination): boolean {
  return Object.keys(ports).some((port) => port !== 'publish')
}
