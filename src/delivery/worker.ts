import { setImmediate as breath } from 'node:timers/promises'
import { StoreUnavailableError } from '../domain/errors.ts'
import type { Instant } from '../domain/instant.ts'
import type { Urgency } from '../domain/lane.ts'
import type { Mappings } from '../domain/mapping.ts'
import type { Flow } from '../flows/flow.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { createTable } from '../lib/table.ts'
import type { Claim, Store } from '../store/store.ts'
import { createCarryOut, leaseOf } from './carry-out.ts'
import type { Destination } from './destination.ts'
import type { Sources } from './known.ts'
import { createLanes, type Lanes, roomFor, type WorkerStatus } from './lanes.ts'
import { createSettling } from './settling.ts'
import type { Standing } from './standing/standing.ts'
import { createTroubleWatch } from './trouble.ts'

interface Options extends Pick<Sources, 'orders' | 'settlements' | 'storeOf'> {
  store: Store
  destinations: readonly Destination[]
  flows: readonly Flow[]
  clock: Clock
  /** In [0, 1). */
  random: () => number
  logger: Logger
  standing: Standing
  /** Where config says that fields of payloads stand. */
  mappings?: Mappings
}

const BOTH: readonly Urgency[] = ['prompt', 'bulk']
const BULK_FIRST: readonly Urgency[] = ['bulk', 'prompt']

/** Bodies of one round of claims. */
const ROUND_BYTES = 16 * 1024 * 1024

/** Results that may wait for the disk before claiming stops: a slow disk slows the sending, not the memory. */
const MOST_UNWRITTEN = 512

/** How long the last results may take to be written when the hub stops (milliseconds). */
const LAST_WRITES = 1_000

/** An unavailable store is asked again after this (milliseconds). */
const STORE_PAUSE = 1_000

/** Takes deliveries that are due from the store and carries them out, lane by lane. */
export function createWorker({
  store,
  destinations,
  flows,
  clock,
  random,
  logger,
  standing,
  mappings,
  ...sources
}: Options) {
  const all = destinations.map((one) => createLanes(one, createTroubleWatch(one.name, random, logger), logger))
  const byName = new Map(all.map((lanes) => [lanes.destination.name, lanes]))
  const settling = createSettling(store, clock, logger)
  const underWay = createTable<AbortController>()
  const isRunning = () => running
  const carryOut = createCarryOut({
    ...sources,
    store,
    flows,
    clock,
    random,
    logger,
    standing,
    underWay,
    isRunning,
    ...(mappings && { mappings }),
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
    rest()
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
      const free = lanes.short ? lanes.gate.opensAt(now) : null
      if (free !== null) times.push(free)
      if (times.length > 0) wakeAt(lanes, Math.min(...times))
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) logger.error({ err: error }, 'delivery.claim-failed')
      wakeAt(lanes, now + STORE_PAUSE)
    }
  }

  /** Claims as much of one lane as there is room for and starts it; returns when its next delivery is due. */
  async function claim(lanes: Lanes, urgency: Urgency): Promise<number | null> {
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
    lanes.gate.passed(calls.length, claimedAt)
    if (!running && calls.length > 0) await store.release(calls.flat().map(({ fence }) => fence))
    else for (const claims of calls) void start(lanes, urgency, claims, claimedAt)
    return wakeAt
  }

  async function start(lanes: Lanes, urgency: Urgency, claims: Claim[], claimedAt: Instant): Promise<void> {
    lanes.inFlight += 1
    const { destination, watch, gate } = lanes
    const { results, at, told } = await carryOut(claims, destination, urgency, claimedAt, watch.hasTakenSince)
    const [first] = claims
    if (told && first) {
      const { id: delivery, failingSince } = first.delivery
      gate.follow(told, clock.now())
      if (watch.follow(told, clock.now(), { delivery, at, failingSince })) lanes.short = true
    }
    settling.settle(urgency, results, () => {
      // Whatever the hub stood still over, and is on the disk as held or done, need not be known any more.
      const settled = standing.isQuiet() ? [] : results.filter(({ next }) => next.state !== 'waiting')
      standing.forget(settled.map(({ delivery }) => delivery))
      freed(lanes)
    })
    lanes.inFlight -= 1
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

  /** At rest: nothing is under way, and no round is claiming, or giving back what it claimed too late. */
  function rest() {
    if (all.some(({ inFlight, busy }) => inFlight > 0 || busy)) return
    for (const resolve of atRest.splice(0)) resolve()
  }

  store.onWork((lanes) => {
    for (const { destination, urgency } of lanes) {
      const one = byName.get(destination)
      if (one) void pump(one, [urgency])
    }
  })

  return {
    start() {
      running = true
      for (const lanes of all) void pump(lanes, BOTH)
    },

    /**
     * Claims nothing more, lets calls finish for so long (milliseconds), then aborts what is left, and writes every
     * result down.
     */
    async stop(patience: number): Promise<void> {
      running = false
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
      await Promise.race([settling.drained(), given.promise])
      cancelGiven()
      const unwritten = settling.unwritten('prompt') + settling.unwritten('bulk')
      if (unwritten > 0) logger.error({ results: unwritten }, 'delivery.results-not-written')
    },

    status: (): WorkerStatus[] =>
      all.map(({ destination, inFlight, watch, gate }) => ({
        destination: destination.name,
        inFlight,
        trouble: watch.current(),
        callsPerSecond: gate.limit(),
      })),
  }
}
