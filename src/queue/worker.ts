import { setImmediate as tick } from 'node:timers/promises'
import {
  causeOf,
  type Evidence,
  isAuthFailure,
  isRateLimited,
  isUnreachable,
  mayBeDestinationWide,
  type Outcome,
  wasAnswered,
} from '../domain/queue/outcome.ts'
import {
  afterClockSet,
  createPace,
  type DestinationWork,
  type Failing,
  inOutage,
  isOutage,
  longer,
  type OpenCircuit,
  OUTAGE_ALARM,
  type Run,
  URGENCIES,
  type Urgency,
} from '../domain/queue/queue-key.ts'
import { messageOf, StorageUnavailableError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Flow, Sources } from '../flows/flow.ts'
import type { Clock } from '../lib/clock.ts'
import type { EventLoop } from '../lib/event-loop.ts'
import type { Logger } from '../lib/logger.ts'
import { activeSpan, type Tracing } from '../lib/tracing.ts'
import type { Mappings } from '../platform/payloads/mapping/mapping.ts'
import type { Claim, ClaimResult } from '../storage/claim.ts'
import type { Storage } from '../storage/storage.ts'
import type { Limits } from './call.ts'
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
  tracing?: Tracing | null
  /** Told of each attempt: how long it took, and how old its event is (ms). */
  attempted?: (destination: string, attempt: { outcome: string; ms: number; age: number }) => void
  mappings?: Mappings
}

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
  const underWay: Limits['underWay'] = new Map()
  const isRunning = () => running
  const execute = createExecutor({ ...sources, storage, flows, clock, random, logger, eventLoop, underWay, isRunning })
  let running = false

  function pump(queues: DestinationQueues, urgencies: readonly Urgency[]): void {
    if (!running) return
    for (const urgency of urgencies) queues.wanted[urgency] = true
    queues.claiming ??= claimWanted(queues)
  }

  /** Claims until no queue of the destination wants more. */
  async function claimWanted(queues: DestinationQueues): Promise<void> {
    while (running && (queues.wanted.prompt || queues.wanted.bulk)) {
      // Slots freed in the same tick are filled by one claim.
      await tick()
      if (!running) break
      const now = clock.now()
      const { wanted, watch, limiter, dueAt } = queues
      queues.wanted = { prompt: false, bulk: false }
      const outage = watch.current()
      if (outage && now < outage.until) {
        wakeAt(queues, outage.until)
        continue
      }
      // Alternates, so that each queue gets to be the probe.
      const order = outage && outage.failures % 2 === 0 ? URGENCIES.toReversed() : URGENCIES
      try {
        for (const urgency of order) if (wanted[urgency]) dueAt[urgency] = await claim(queues, urgency)
        const times = [dueAt.prompt, dueAt.bulk, queues.short ? limiter.opensAt(now) : null].filter((at) => at !== null)
        if (times.length > 0) wakeAt(queues, Math.min(...times))
      } catch (error) {
        if (!(error instanceof StorageUnavailableError)) logger.error({ err: error }, 'delivery.claim-failed')
        wakeAt(queues, now + STORE_PAUSE)
      }
    }
    queues.claiming = null
    if (queues.calls.size === 0) for (const resolve of queues.probes.splice(0)) resolve()
  }

  /** Starts calls for what is due; returns when the next is. */
  async function claim(queues: DestinationQueues, urgency: Urgency): Promise<Instant | null> {
    const claimedAt = clock.now()
    if (waits(urgency)) return claimedAt + ROOM_PAUSE
    const room = settling.unwritten[urgency] >= MAX_UNWRITTEN ? 0 : capacityFor(queues, urgency, claimedAt)
    if (room <= 0) {
      queues.short = true
      return null
    }
    const { destination, watch, limiter } = queues
    const { name, batch } = destination
    const lease = queues.leases[urgency]
    const yielding = Math.min(room, capacityFor(queues, 'bulk', claimedAt))
    const { calls, wakeAt, yieldingLeft } = await storage.claim(
      { destination: name, urgency },
      // A probe: low priority must get its turn as well.
      { calls: room, yielding, ignorePriority: watch.current() !== null, bytes: ROUND_BYTES, batch },
      lease,
    )
    if (calls.length === room || yieldingLeft) queues.short = true
    limiter.passed(calls.length, claimedAt)
    if (!running && calls.length > 0) returning.giveBack(calls.flat().map(({ fence }) => fence))
    else
      for (const claims of calls) track(queues, { urgency, over: finish(queues, urgency, claims, claimedAt + lease) })
    return wakeAt
  }

  /** The call has a slot until it is over. */
  function track(queues: DestinationQueues, call: Call): void {
    queues.calls.add(call)
    void call.over.then(() => {
      queues.calls.delete(call)
      for (const resolve of queues.probes.splice(0)) resolve()
      freed(queues)
    })
  }

  /** From claims to outcomes that wait for the disk. */
  async function finish(queues: DestinationQueues, urgency: Urgency, claims: Claim[], until: Instant): Promise<void> {
    const { destination, watch, limiter } = queues
    const work: Parameters<typeof execute> = [claims, destination, until, watch.evidenceOn]
    const executed = await (options.tracing ? traced(options.tracing, work) : execute(...work))
    const { results, mostTelling } = executed
    for (const [at, { attempt }] of results.entries()) {
      const age = executed.at + attempt.ms - (claims[at]?.event.receivedAt ?? executed.at)
      options.attempted?.(destination.name, { outcome: attempt.outcome, ms: attempt.ms, age })
    }
    const [first] = claims
    if (mostTelling && first) {
      const { id, failingSince } = first.delivery
      const now = clock.now()
      const change = limiter.follow(now, isRateLimited(mostTelling))
      if (change !== null) {
        const about = { destination: destination.name, callsPerSecond: limiter.limit() }
        if (change === 'limited') logger.warn(about, 'destination.slowed')
        else logger.info(about, 'destination.as-fast-as-before')
      }
      if (watch.follow(mostTelling, now, { ...executed, delivery: id, failingSince })) queues.short = true
    }
    queues.unwritten += 1
    settling.settle(urgency, results, () => {
      queues.unwritten -= 1
      // All wait where too many of one are unwritten.
      for (const one of all) freed(one)
    })
  }

  /** A batch belongs to the trace of its first event. */
  async function traced(tracing: Tracing, work: Parameters<typeof execute>) {
    const [claims] = work
    const [first] = claims
    const event = first && (await storage.event(first.event.id).catch(() => null))
    const span = tracing.begin('deliver', 'consumer', event?.headers.traceparent, {
      'tillbridge.destination': first?.delivery.destination ?? '',
      'tillbridge.flow': first?.delivery.flow ?? '',
      'tillbridge.deliveries': claims.map(({ delivery }) => delivery.id),
    })
    const executed = await activeSpan.run({ tracing, traceparent: span.traceparent }, () => execute(...work))
    const outcome = executed.results[0]?.attempt.outcome ?? ''
    span.end({ 'tillbridge.outcome': outcome }, ['retry', 'dead', 'held', 'unknown'].includes(outcome))
    return executed
  }

  function freed(queues: DestinationQueues): void {
    if (!queues.short) return
    queues.short = false
    pump(queues, URGENCIES)
  }

  function wakeAt(queues: DestinationQueues, at: Instant): void {
    if (!running) return
    queues.cancelTimer()
    queues.cancelTimer = clock.after(at - clock.now(), () => pump(queues, URGENCIES))
  }

  function tryNow(destination: string, anyway: boolean): Promise<void> {
    const queues = byName.get(destination)
    if (!queues?.watch.tryNow(clock.now(), anyway)) return Promise.resolve()
    const done = new Promise<void>((resolve) => queues.probes.push(resolve))
    pump(queues, URGENCIES)
    return done
  }

  /** Resolves when nothing is claimed or called any more. */
  async function atRest(): Promise<void> {
    for (;;) {
      const under = all.flatMap(({ claiming, calls }) => [claiming ?? [], [...calls].map(({ over }) => over)].flat())
      if (under.length === 0) return
      await Promise.all(under)
    }
  }

  const deaf = storage.onWork((queues) => {
    for (const { destination, urgency } of queues) {
      const one = byName.get(destination)
      if (one) pump(one, [urgency])
    }
  })

  return {
    start(before: { callsTo(destination: string): Call[] } | null = null) {
      running = true
      for (const queues of all) {
        for (const call of before?.callsTo(queues.destination.name) ?? []) track(queues, call)
        pump(queues, URGENCIES)
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
      await atRest()
      cancel()
      const { promise, resolve } = Promise.withResolvers<void>()
      const cancelLast = clock.after(LAST_WRITES, resolve)
      await Promise.race([Promise.all([settling.drained(), returning.drained()]), promise])
      cancelLast()
      const results = settling.unwritten.prompt + settling.unwritten.bulk
      if (results > 0) logger.error({ results }, 'delivery.results-not-written')
    },

    /** A job or lookup got through: probe at once. */
    reached: (destination: string): void => void tryNow(destination, false),

    clockWasSet(): void {
      for (const queues of all) {
        queues.watch.clockWasSet(clock.now())
        queues.limiter.clockWasSet(clock.now())
        pump(queues, URGENCIES)
      }
    },

    probe: (destination: string): Promise<void> => tryNow(destination, true),

    status: (): DestinationWork[] =>
      all.map(({ destination, calls, watch, limiter }) => {
        const { prompt = [], bulk = [] } = Object.groupBy(calls, ({ urgency }) => urgency)
        return {
          destination: destination.name,
          inFlight: { prompt: prompt.length, bulk: bulk.length },
          outage: watch.current(),
          failing: watch.failing(),
          tookAt: watch.tookAt(),
          callsPerSecond: limiter.limit(),
        }
      }),
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
    leases: { prompt: leaseOf(destination, 'prompt'), bulk: leaseOf(destination, 'bulk') },
    /** Of this worker, and of the one before. */
    calls: new Set<Call>(),
    /** Calls without a stored outcome: a crash now would repeat them. */
    unwritten: 0,
    /** Raw events have a webhook-id to dedupe by. */
    showsRepeats: Object.keys(destination.ports).some((port) => port !== 'publish'),
    short: false,
    claiming: null as Promise<void> | null,
    wanted: { prompt: false, bulk: false },
    dueAt: { prompt: null, bulk: null } as Record<Urgency, Instant | null>,
    cancelTimer: () => {},
    probes: [] as (() => void)[],
  }
}

/** Unwritten outcomes take slots where repeats would be seen. Bulk leaves one slot free; an open circuit lets one probe through. */
function capacityFor(queues: DestinationQueues, urgency: Urgency, now: Instant): number {
  const { destination, calls, unwritten, showsRepeats, watch, limiter } = queues
  if (watch.current()) return calls.size > 0 ? 0 : 1
  const { concurrency } = destination.queue
  const free = concurrency - calls.size - (showsRepeats ? unwritten : 0)
  return Math.min(urgency === 'prompt' || concurrency === 1 ? free : free - 1, limiter.callsAt(now))
}

const RETRY_AFTER_MS = 1_000
const LONGEST_PAUSE = 300_000
const pause = (clock: Clock) => new Promise<void>((resolve) => clock.after(RETRY_AFTER_MS, resolve))

/** Outcomes per commit; larger batches let other commits in between. */
const COMMIT = 500

interface Unwritten {
  urgency: Urgency
  result: ClaimResult
  done: (() => void) | null
}

/** Group commits, prompt first; retried while the storage is unavailable. */
export function createResultWriter(storage: Pick<Storage, 'settle'>, clock: Clock, logger: Logger) {
  const waiting: Record<Urgency, Unwritten[]> = { prompt: [], bulk: [] }
  /** Waiting, or being written. */
  const unwritten: Record<Urgency, number> = { prompt: 0, bulk: 0 }
  let busy = false
  const idle: (() => void)[] = []

  async function run() {
    busy = true
    while (waiting.prompt.length > 0 || waiting.bulk.length > 0) {
      const prompt = waiting.prompt.splice(0, COMMIT)
      const groups = [[...prompt, ...waiting.bulk.splice(0, COMMIT - prompt.length)]]
      for (const group of groups)
        try {
          const applied = await storage.settle(group.map(({ result }) => result))
          for (const [index, one] of group.entries()) written(one, applied[index] ?? false)
        } catch (error) {
          const [one, ...more] = group
          if (error instanceof StorageUnavailableError) {
            await pause(clock)
            for (const each of group.toReversed()) waiting[each.urgency].unshift(each)
          } else if (more.length > 0) groups.push(...group.map((each) => [each]))
          else if (one) {
            logger.error({ delivery: one.result.delivery, err: error }, 'delivery.result-not-writable')
            hold(one, heldInstead(one.result, error), RETRY_AFTER_MS)
          }
        }
    }
    busy = false
  }

  /** Others do not wait for it. */
  function hold(one: Unwritten, held: ClaimResult, wait: number): void {
    const again = () => hold(one, held, Math.min(2 * wait, LONGEST_PAUSE))
    storage.settle([held]).then(
      ([isApplied = false]) => written(one, isApplied),
      () => clock.after(wait, again),
    )
  }

  function written({ urgency, result, done }: Unwritten, isApplied: boolean): void {
    if (!isApplied) logger.warn({ delivery: result.delivery }, 'delivery.decided-meanwhile')
    unwritten[urgency] -= 1
    done?.()
    if (unwritten.prompt + unwritten.bulk === 0) for (const resolve of idle.splice(0)) resolve()
  }

  return {
    settle(urgency: Urgency, results: readonly ClaimResult[], done: () => void) {
      unwritten[urgency] += results.length
      const last = results.at(-1)
      for (const result of results) waiting[urgency].push({ urgency, result, done: result === last ? done : null })
      if (!busy) void run()
    },
    unwritten: unwritten as Readonly<Record<Urgency, number>>,
    drained: (): Promise<void> =>
      unwritten.prompt + unwritten.bulk > 0 ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve(),
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
  let underWay = Promise.resolve()

  async function untilTaken(fences: number[]): Promise<void> {
    for (;;)
      try {
        return await storage.returnClaims(fences)
      } catch (error) {
        if (!(error instanceof StorageUnavailableError)) logger.error({ err: error }, 'delivery.claims-not-returned')
        await pause(clock)
      }
  }

  return {
    giveBack(fences: number[]): void {
      underWay = Promise.all([underWay, untilTaken(fences)]).then(() => {})
    },
    drained: (): Promise<void> => underWay,
  }
}

const GATEWAY = ['http-502', 'http-504']

/** Longer than a rate problem (ms). */
const NOTHING_BUT_TOO_MANY = 60_000

interface Called {
  delivery: number
  at: Instant
  failingSince: Instant | null
  operation: string
  /** Calls made for it; `several`: it carried several deliveries. */
  calls?: number
  several?: boolean
}

interface Operation {
  tookAt: Instant | null
  /** Last recovery from call after call refused. */
  wellSince: Instant
  run: Run | null
  last: { code: string; why: string }
}

/** Circuit breaker of one destination. */
export function createCircuitBreaker(destination: string, random: () => number, logger: Logger) {
  let outage: OpenCircuit | null = null
  let run: Run | null = null
  let alarmed = false
  let refusedAs: string | null = null
  let pauses = false
  let tooManySince: Instant | null = null
  const operations = new Map<string, Operation>()

  function operationOf(name: string): Operation {
    const known = operations.get(name)
    if (known) return known
    const fresh = { tookAt: null, wellSince: Number.NEGATIVE_INFINITY, run: null, last: { code: '', why: '' } }
    operations.set(name, fresh)
    return fresh
  }

  function met(outcome: Outcome & { why: string; code: string }, now: number) {
    const { why } = outcome
    const code = causeOf(outcome)
    if (!outage) logger.warn({ destination, code, why }, 'destination.outage')
    // Waiting does not heal a refused credential: log at once.
    if (isAuthFailure(code) && refusedAs !== code)
      logger.error({ system: destination, code, why }, 'credentials.refused')
    if (isAuthFailure(code)) refusedAs = code
    const notBefore = outcome.type === 'retry' ? outcome.notBefore : null
    outage = inOutage(outage, now, random(), { since: run?.since ?? now, code, why, notBefore, pauses })
    if (now - outage.since < OUTAGE_ALARM || alarmed) return
    alarmed = true
    logger.error({ destination, since: new Date(outage.since), code, why }, 'destination.down')
  }

  function recovered(now: number, operation: Operation): boolean {
    const wasAway = operation.run?.several && isOutage(operation.run)
    if (wasAway) operation.wellSince = now
    if (outage && pauses) for (const one of operations.values()) one.wellSince = now
    operation.run = null
    run = null
    tooManySince = null
    if (!outage) return false
    logger.info({ destination, ms: now - outage.since }, 'destination.recovered')
    if (refusedAs !== null) logger.info({ system: destination }, 'credentials.accepted')
    refusedAs = null
    outage = null
    alarmed = false
    pauses = false
    return true
  }

  /** What still fails after a success fails on its own account. Failures during an outage say nothing. */
  function hasTakenSince(since: Instant | null, name: string): boolean {
    const { tookAt, wellSince } = operationOf(name)
    return outage === null && since !== null && tookAt !== null && tookAt >= since && since >= wellSince
  }

  function othersTakenSince(since: Instant, name: string): boolean {
    return [...operations].some(([other, { tookAt }]) => other !== name && tookAt !== null && tookAt >= since)
  }

  function refusesSeveral(): boolean {
    return [...operations].some(([name, { run }]) => run?.several && !othersTakenSince(run.since, name))
  }

  return {
    current: (): OpenCircuit | null => outage,

    /** The operation failing for longest; null: none, or the whole destination is down. */
    failing(): Failing | null {
      if (outage) return null
      const found = [...operations.values()].flatMap(({ run, last }) =>
        run ? [{ since: run.since, calls: run.calls, ...last }] : [],
      )
      return found.sort((a, b) => a.since - b.since)[0] ?? null
    },

    tookAt(): Instant | null {
      return [...operations.values()].reduce<Instant | null>(
        (last, { tookAt }) => (tookAt === null ? last : Math.max(last ?? tookAt, tookAt)),
        null,
      )
    },

    evidenceOn({ id, failingSince }: { id: number; failingSince: Instant | null }, name: string): Evidence {
      const { run } = operationOf(name)
      const isAlone = run === null || (!run.several && run.first === id)
      const isOperation = run !== null && othersTakenSince(run.since, name)
      return {
        own: hasTakenSince(failingSince, name),
        alone: isOperation || (isAlone && !(outage && pauses)) ? (run?.calls ?? 0) : null,
      }
    },

    /** Probes now; respects `Retry-After` unless an operator asks (`anyway`). False: nothing to wait for. */
    tryNow(now: Instant, anyway: boolean): boolean {
      if (outage === null) return false
      outage = { ...outage, until: Math.max(now, (anyway ? null : outage.notBefore) ?? now) }
      return true
    },

    /** A pause by the old clock might never end. */
    clockWasSet(now: Instant): void {
      if (outage !== null) outage = afterClockSet(outage, now)
      if (run !== null) run = { ...run, since: Math.min(run.since, now) }
      if (tooManySince !== null) tooManySince = now
      for (const one of operations.values()) {
        const { run } = one
        Object.assign(one, { tookAt: null, wellSince: Number.NEGATIVE_INFINITY })
        one.run = run && { ...run, since: Math.min(run.since, now) }
      }
    },

    follow(outcome: Outcome, now: number, called: Called): boolean {
      const { delivery, at, failingSince, calls, several } = called
      const operation = operationOf(called.operation)
      if (outcome.type === 'delivered') operation.tookAt = Math.max(operation.tookAt ?? at, at)
      // Calls already under way say nothing new.
      if (outage && now < outage.until) return false
      if (outcome.type === 'delivered' || wasAnswered(outcome)) return recovered(now, operation)
      if (isRateLimited(outcome)) tooManySince ??= now
      const isSlowedOnly = tooManySince !== null && now - tooManySince < NOTHING_BUT_TOO_MANY
      if (isRateLimited(outcome) && isSlowedOnly && !outage) return false
      const gatewayGaveUp = outcome.type === 'unknown' && GATEWAY.includes(outcome.code)
      const isAway = isUnreachable(outcome) || gatewayGaveUp
      if (!isAway) {
        if (!mayBeDestinationWide(outcome) && !outage) return false
        if (hasTakenSince(failingSince, called.operation)) return false
        run = longer(run, now, delivery, calls, several)
        operation.run = longer(operation.run, now, delivery, calls, several)
        operation.last = { code: causeOf(outcome), why: outcome.why }
        if (!outage && !isOutage(run)) return false
      }
      // Refused with an answer, it is not away any more: else one that it refuses alone would wait for ever.
      const isBack = outcome.type === 'dead'
      pauses = isAway || (pauses && !isBack) || refusesSeveral()
      met(outcome, now)
      return true
    },
  }
}

type CircuitBreaker = ReturnType<typeof createCircuitBreaker>
