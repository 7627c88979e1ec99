import { setImmediate as breath } from 'node:timers/promises'
import { createPace, type DestinationWork, type Urgency } from '../domain/queue/lane.ts'
import { type Outcome, wantsFewer } from '../domain/queue/outcome.ts'
import { StoreUnavailableError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Flow } from '../flows/flow.ts'
import type { Clock } from '../lib/clock.ts'
import type { EventLoop } from '../lib/event-loop.ts'
import type { Logger } from '../lib/logger.ts'
import type { Mappings } from '../payloads/mapping/mapping.ts'
import type { Claim } from '../store/claim.ts'
import type { Store } from '../store/store.ts'
import { createCarryOut, leaseOf } from './calling/carry-out.ts'
import type { Sources } from './calling/inputs.ts'
import type { Destination } from './destination.ts'
import { createReturning, createSettling } from './settling.ts'
import { createTroubleWatch, type TroubleWatch } from './trouble.ts'

interface Options extends Pick<Sources, 'orders' | 'settlements' | 'storeOf'> {
  store: Store
  destinations: readonly Destination[]
  flows: readonly Flow[]
  clock: Clock
  random: () => number
  logger: Logger
  eventLoop: Pick<EventLoop, 'hasStalledSince'>
  waits?: (urgency: Urgency) => boolean
  mappings?: Mappings
}

const BOTH: readonly Urgency[] = ['prompt', 'bulk']
const BULK_FIRST: readonly Urgency[] = ['bulk', 'prompt']
const ROUND_BYTES = 16 * 1024 * 1024

/** Backpressure: outcomes that wait for the disk. */
const MOST_UNWRITTEN = 512
const LAST_WRITES = 1_000
const STORE_PAUSE = 1_000
const ROOM_PAUSE = 2_000
export type Worker = ReturnType<typeof createWorker>

export function createWorker(options: Options) {
  const { store, destinations, flows, clock, random, logger, eventLoop, waits = () => false, ...sources } = options
  const all = destinations.map((one) => createLanes(one, createTroubleWatch(one.name, random, logger)))
  const byName = new Map(all.map((lanes) => [lanes.destination.name, lanes]))
  const settling = createSettling(store, clock, logger)
  const returning = createReturning(store, clock, logger)
  const underWay = new Map<number, AbortController>()
  const isRunning = () => running
  const carryOut = createCarryOut({ ...sources, store, flows, clock, random, logger, eventLoop, underWay, isRunning })
  const atRest: (() => void)[] = []
  let running = false

  async function pump(lanes: Lanes, urgencies: readonly Urgency[]): Promise<void> {
    if (!running) return
    for (const urgency of urgencies) lanes.wanted[urgency] = true
    if (lanes.busy) return
    lanes.busy = true
    while ((lanes.wanted.prompt || lanes.wanted.bulk) && running) {
      // Slots freed in the same tick are filled by one claim.
      await breath()
      if (running) await round(lanes)
    }
    lanes.busy = false
    if (underWayOf(lanes) === 0) probed(lanes)
    rest()
  }

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
    // Alternates, so that each queue gets to be the probe.
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
      // A probe: low priority must get its turn as well.
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
    const { destination, watch } = lanes
    const { results, at, told, ...called } = await carryOut(claims, destination, urgency, claimedAt, watch.evidenceOn)
    const [first] = claims
    if (told && first) {
      const { id: delivery, failingSince } = first.delivery
      slow(lanes, told)
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

  function slow({ destination: { name }, limiter }: Lanes, told: Outcome): void {
    const before = limiter.limit()
    limiter.follow(clock.now(), wantsFewer(told))
    const callsPerSecond = limiter.limit()
    if (before === null && callsPerSecond !== null)
      logger.warn({ destination: name, callsPerSecond }, 'destination.slowed')
    if (before !== null && callsPerSecond === null) logger.info({ destination: name }, 'destination.as-fast-as-before')
  }

  async function wait(lanes: Lanes, { urgency, over }: Call): Promise<void> {
    lanes.inFlight[urgency] += 1
    await over
    lanes.inFlight[urgency] -= 1
    freed(lanes)
  }

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
    start(before: { callsTo(destination: string): Call[] } | null = null) {
      running = true
      for (const lanes of all) {
        for (const call of before?.callsTo(lanes.destination.name) ?? []) void wait(lanes, call)
        void pump(lanes, BOTH)
      }
    },

    callsTo: (destination: string): Call[] => [...(byName.get(destination)?.calls ?? [])],

    /** Lets calls finish for `patience` ms, aborts the rest, writes every outcome. Called again, the shorter patience holds. */
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

    /** A job or lookup got through: probe at once. */
    reached: (destination: string): void => void tryNow(destination, false),

    clockWasSet(): void {
      for (const lanes of all) {
        lanes.watch.clockWasSet(clock.now())
        lanes.limiter.clockWasSet(clock.now())
        void pump(lanes, BOTH)
      }
    },

    probe: (destination: string): Promise<void> => tryNow(destination, true),

    status: (): DestinationWork[] =>
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

interface Call {
  urgency: Urgency
  over: Promise<void>
}

type Lanes = ReturnType<typeof createLanes>

/** Both queues of one destination share its slots. */
function createLanes(destination: Destination, watch: TroubleWatch) {
  return {
    destination,
    watch,
    limiter: createPace(),
    inFlight: { prompt: 0, bulk: 0 },
    /** Calls without a stored outcome: a crash now would repeat them. */
    unwritten: 0,
    calls: new Set<Call>(),
    short: false,
    busy: false,
    wanted: { prompt: false, bulk: false },
    dueAt: { prompt: null, bulk: null } as Record<Urgency, number | null>,
    cancelTimer: () => {},
    probes: [] as (() => void)[],
  }
}

/** Unwritten outcomes take slots where repeats would be seen. Bulk leaves one slot free; an open circuit lets one probe through. */
function roomFor(lanes: Lanes, urgency: Urgency, now: Instant): number {
  const { destination, unwritten, watch, limiter } = lanes
  const underWay = underWayOf(lanes)
  if (watch.current()) return underWay > 0 ? 0 : 1
  const { concurrency } = destination.lane
  const free = concurrency - underWay - (showsRepeats(destination) ? unwritten : 0)
  return Math.min(urgency === 'prompt' || concurrency === 1 ? free : free - 1, limiter.callsAt(now))
}

function underWayOf({ inFlight }: Pick<Lanes, 'inFlight'>): number {
  return inFlight.prompt + inFlight.bulk
}

/** Raw events have a webhook-id to dedupe by. */
function showsRepeats({ ports }: Destination): boolean {
  return Object.keys(ports).some((port) => port !== 'publish')
}
