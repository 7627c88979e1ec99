import { setImmediate as tick } from 'node:timers/promises'
import { isRateLimited, type Outcome } from '../domain/queue/outcome.ts'
import { createPace, type DestinationWork, type Urgency } from '../domain/queue/queue-key.ts'
import { messageOf, StorageUnavailableError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Flow } from '../flows/flow.ts'
import type { Sources } from '../flows/sources.ts'
import type { Clock } from '../lib/clock.ts'
import type { EventLoop } from '../lib/event-loop.ts'
import type { Logger } from '../lib/logger.ts'
import type { Mappings } from '../platform/payloads/mapping/mapping.ts'
import type { Claim, ClaimResult } from '../storage/claim.ts'
import type { Storage } from '../storage/storage.ts'
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts'
import type { Destination } from './destination.ts'
import { createExecutor, leaseOf } from './execute.ts'

interface Options extends Pick<Sources, 'orders' | 'settlements' | 'storeOf'> {
  storage: Storage
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
const MAX_UNWRITTEN = 512
const LAST_WRITES = 1_000
const STORE_PAUSE = 1_000
const ROOM_PAUSE = 2_000
export type Worker = ReturnType<typeof createWorker>

export function createWorker(options: Options) {
  const { storage, destinations, flows, clock, random, logger, eventLoop, waits = () => false, ...sources } = options
  const all = destinations.map((one) => createQueues(one, createCircuitBreaker(one.name, random, logger)))
  const byName = new Map(all.map((queues) => [queues.destination.name, queues]))
  const settling = createResultWriter(storage, clock, logger)
  const returning = createClaimRelease(storage, clock, logger)
  const underWay = new Map<number, AbortController>()
  const isRunning = () => running
  const execute = createExecutor({ ...sources, storage, flows, clock, random, logger, eventLoop, underWay, isRunning })
  const atRest: (() => void)[] = []
  let running = false

  async function pump(queues: DestinationQueues, urgencies: readonly Urgency[]): Promise<void> {
    if (!running) return
    for (const urgency of urgencies) queues.wanted[urgency] = true
    if (queues.busy) return
    queues.busy = true
    while ((queues.wanted.prompt || queues.wanted.bulk) && running) {
      // Slots freed in the same tick are filled by one claim.
      await tick()
      if (running) await round(queues)
    }
    queues.busy = false
    if (underWayOf(queues) === 0) probed(queues)
    rest()
  }

  function probed(queues: DestinationQueues) {
    for (const resolve of queues.probes.splice(0)) resolve()
  }

  function tryNow(destination: string, anyway: boolean): Promise<void> {
    const queues = byName.get(destination)
    if (!queues?.watch.tryNow(clock.now(), anyway)) return Promise.resolve()
    const done = new Promise<void>((resolve) => queues.probes.push(resolve))
    void pump(queues, BOTH)
    return done
  }

  async function round(queues: DestinationQueues): Promise<void> {
    const now = clock.now()
    const { wanted } = queues
    queues.wanted = { prompt: false, bulk: false }
    const outage = queues.watch.current()
    if (outage && now < outage.until) return wakeAt(queues, outage.until)
    // Alternates, so that each queue gets to be the probe.
    const order = outage && outage.failures % 2 === 0 ? BULK_FIRST : BOTH
    try {
      for (const urgency of order) if (wanted[urgency]) queues.dueAt[urgency] = await claim(queues, urgency)
      const times = Object.values(queues.dueAt).filter((at) => at !== null)
      const free = queues.short ? queues.limiter.opensAt(now) : null
      if (free !== null) times.push(free)
      if (times.length > 0) wakeAt(queues, Math.min(...times))
    } catch (error) {
      if (!(error instanceof StorageUnavailableError)) logger.error({ err: error }, 'delivery.claim-failed')
      wakeAt(queues, now + STORE_PAUSE)
    }
  }

  async function claim(queues: DestinationQueues, urgency: Urgency): Promise<number | null> {
    if (waits(urgency)) return clock.now() + ROOM_PAUSE
    const room = settling.unwritten(urgency) >= MAX_UNWRITTEN ? 0 : capacityFor(queues, urgency, clock.now())
    if (room <= 0) {
      queues.short = true
      return null
    }
    const { name, batch } = queues.destination
    const claimedAt = clock.now()
    const yielding = Math.min(room, capacityFor(queues, 'bulk', claimedAt))
    const { calls, wakeAt, yieldingLeft } = await storage.claim(
      { destination: name, urgency },
      // A probe: low priority must get its turn as well.
      { calls: room, yielding, ignorePriority: queues.watch.current() !== null, bytes: ROUND_BYTES, batch },
      leaseOf(queues.destination, urgency),
    )
    if (calls.length === room || yieldingLeft) queues.short = true
    queues.limiter.passed(calls.length, claimedAt)
    if (!running && calls.length > 0) returning.giveBack(calls.flat().map(({ fence }) => fence))
    else for (const claims of calls) keep(queues, { urgency, over: start(queues, urgency, claims, claimedAt) })
    return wakeAt
  }

  function keep({ calls }: DestinationQueues, call: Call): void {
    calls.add(call)
    void call.over.finally(() => calls.delete(call))
  }

  async function start(
    queues: DestinationQueues,
    urgency: Urgency,
    claims: Claim[],
    claimedAt: Instant,
  ): Promise<void> {
    queues.inFlight[urgency] += 1
    const { destination, watch } = queues
    const { results, at, mostTelling, ...called } = await execute(
      claims,
      destination,
      urgency,
      claimedAt,
      watch.evidenceOn,
    )
    const [first] = claims
    if (mostTelling && first) {
      const { id: delivery, failingSince } = first.delivery
      slow(queues, mostTelling)
      if (watch.follow(mostTelling, clock.now(), { ...called, delivery, at, failingSince })) queues.short = true
    }
    queues.unwritten += 1
    settling.settle(urgency, results, () => {
      queues.unwritten -= 1
      freed(queues)
    })
    queues.inFlight[urgency] -= 1
    probed(queues)
    freed(queues)
  }

  function slow({ destination: { name }, limiter }: DestinationQueues, mostTelling: Outcome): void {
    const before = limiter.limit()
    limiter.follow(clock.now(), isRateLimited(mostTelling))
    const callsPerSecond = limiter.limit()
    if (before === null && callsPerSecond !== null)
      logger.warn({ destination: name, callsPerSecond }, 'destination.slowed')
    if (before !== null && callsPerSecond === null) logger.info({ destination: name }, 'destination.as-fast-as-before')
  }

  async function wait(queues: DestinationQueues, { urgency, over }: Call): Promise<void> {
    queues.inFlight[urgency] += 1
    await over
    queues.inFlight[urgency] -= 1
    freed(queues)
  }

  function freed(queues: DestinationQueues) {
    if (queues.short) {
      queues.short = false
      void pump(queues, BOTH)
    }
    rest()
  }

  function wakeAt(queues: DestinationQueues, at: number) {
    if (!running) return
    queues.cancelTimer()
    queues.cancelTimer = clock.after(at - clock.now(), () => void pump(queues, BOTH))
  }

  function rest() {
    if (all.some((queues) => queues.busy || underWayOf(queues) > 0)) return
    for (const resolve of atRest.splice(0)) resolve()
  }

  const deaf = storage.onWork((queues) => {
    for (const { destination, urgency } of queues) {
      const one = byName.get(destination)
      if (one) void pump(one, [urgency])
    }
  })

  return {
    start(before: { callsTo(destination: string): Call[] } | null = null) {
      running = true
      for (const queues of all) {
        for (const call of before?.callsTo(queues.destination.name) ?? []) void wait(queues, call)
        void pump(queues, BOTH)
      }
    },

    callsTo: (destination: string): Call[] => [...(byName.get(destination)?.calls ?? [])],

    /** Lets calls finish for `patience` ms, aborts the rest, writes every outcome. Called again, the shorter patience holds. */
    async stop(patience: number): Promise<void> {
      running = false
      deaf()
      for (const queues of all) queues.cancelTimer()
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
      for (const queues of all) {
        queues.watch.clockWasSet(clock.now())
        queues.limiter.clockWasSet(clock.now())
        void pump(queues, BOTH)
      }
    },

    probe: (destination: string): Promise<void> => tryNow(destination, true),

    status: (): DestinationWork[] =>
      all.map(({ destination, inFlight, watch, limiter }) => ({
        destination: destination.name,
        inFlight: { ...inFlight },
        outage: watch.current(),
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

type DestinationQueues = ReturnType<typeof createQueues>

/** Both queues of one destination share its slots. */
function createQueues(destination: Destination, watch: CircuitBreaker) {
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
function capacityFor(queues: DestinationQueues, urgency: Urgency, now: Instant): number {
  const { destination, unwritten, watch, limiter } = queues
  const underWay = underWayOf(queues)
  if (watch.current()) return underWay > 0 ? 0 : 1
  const { concurrency } = destination.queue
  const free = concurrency - underWay - (showsRepeats(destination) ? unwritten : 0)
  return Math.min(urgency === 'prompt' || concurrency === 1 ? free : free - 1, limiter.callsAt(now))
}

function underWayOf({ inFlight }: Pick<DestinationQueues, 'inFlight'>): number {
  return inFlight.prompt + inFlight.bulk
}

/** Raw events have a webhook-id to dedupe by. */
function showsRepeats({ ports }: Destination): boolean {
  return Object.keys(ports).some((port) => port !== 'publish')
}

const RETRY_AFTER_MS = 1_000

/** Outcomes per commit; larger batches let other commits in between. */
const COMMIT = 500

interface Queue {
  waiting: { result: ClaimResult; done: (() => void) | null }[]
  unwritten: number
}

/** Group commits, prompt first; retried while the storage is unavailable. */
export function createResultWriter(storage: Pick<Storage, 'settle'>, clock: Clock, logger: Logger) {
  const queues: Record<Urgency, Queue> = { prompt: { waiting: [], unwritten: 0 }, bulk: { waiting: [], unwritten: 0 } }
  let busy = false
  const idle: (() => void)[] = []

  async function run() {
    busy = true
    while (queues.prompt.waiting.length > 0 || queues.bulk.waiting.length > 0) {
      const prompt = queues.prompt.waiting.splice(0, COMMIT)
      const bulk = queues.bulk.waiting.splice(0, COMMIT - prompt.length)
      const group = [...prompt, ...bulk]
      await write(group.map(({ result }) => result))
      queues.prompt.unwritten -= prompt.length
      queues.bulk.unwritten -= bulk.length
      for (const { done } of group) done?.()
    }
    busy = false
    for (const resolve of idle.splice(0)) resolve()
  }

  async function write(results: ClaimResult[]): Promise<void> {
    for (;;) {
      try {
        const applied = await storage.settle(results)
        for (const [index, ok] of applied.entries())
          if (!ok) logger.warn({ delivery: results[index]?.delivery }, 'delivery.decided-meanwhile')
        return
      } catch (error) {
        if (!(error instanceof StorageUnavailableError)) return await oneByOne(results, error)
        await pause()
      }
    }
  }

  async function oneByOne(results: ClaimResult[], error: unknown): Promise<void> {
    const [only] = results
    if (results.length > 1) for (const result of results) await write([result])
    else if (only) {
      logger.error({ delivery: only.delivery, err: error }, 'delivery.result-not-writable')
      const held = heldInstead(only, error)
      while (!(await storage.settle([held]).catch(() => null))) await pause()
    }
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => clock.after(RETRY_AFTER_MS, resolve))
  }

  return {
    settle(urgency: Urgency, results: readonly ClaimResult[], done: () => void) {
      const queue = queues[urgency]
      queue.unwritten += results.length
      const last = results.at(-1)
      for (const result of results) queue.waiting.push({ result, done: result === last ? done : null })
      if (!busy) void run()
    },
    unwritten: (urgency: Urgency): number => queues[urgency].unwritten,
    drained: (): Promise<void> => (busy ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve()),
  }
}

function heldInstead({ fence, delivery, attempt }: ClaimResult, error: unknown): ClaimResult {
  const why = `its result could not be written: ${messageOf(error)}`
  const { at, ms } = attempt
  return {
    fence,
    delivery,
    next: { state: 'held', dueAt: at, why, tries: 0, finds: 0, failingSince: null, open: true },
    attempt: { at, ms, outcome: 'unknown', code: 'result-not-writable', note: why },
    links: [],
  }
}

/** Retried while the storage is unavailable. */
function createClaimRelease(storage: Pick<Storage, 'returnClaims'>, clock: Clock, logger: Logger) {
  const underWay = new Set<Promise<void>>()

  async function untilTaken(fences: number[]): Promise<void> {
    for (;;)
      try {
        return await storage.returnClaims(fences)
      } catch (error) {
        if (!(error instanceof StorageUnavailableError)) logger.error({ err: error }, 'delivery.claims-not-returned')
        await new Promise<void>((resolve) => clock.after(RETRY_AFTER_MS, resolve))
      }
  }

  return {
    giveBack(fences: number[]): void {
      const giving = untilTaken(fences)
      underWay.add(giving)
      void giving.finally(() => underWay.delete(giving))
    },
    drained: async (): Promise<void> => void (await Promise.all(underWay)),
  }
}
