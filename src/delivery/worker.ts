import { next } from '../domain/delivery.ts'
import { StoreUnavailableError } from '../domain/errors.ts'
import type { Trouble, Urgency } from '../domain/lane.ts'
import type { Outcome } from '../domain/outcome.ts'
import type { Flow } from '../flows/flow.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { createTable } from '../lib/table.ts'
import type { Claim, Settlement, Store } from '../store/store.ts'
import { tryOnce, whenUnknown } from './attempt.ts'
import type { Destination } from './destination.ts'
import { createSettling } from './settling.ts'
import { createTroubleWatch, type TroubleWatch } from './trouble.ts'

interface Options {
  store: Store
  destinations: readonly Destination[]
  flows: readonly Flow[]
  clock: Clock
  /** In [0, 1). */
  random: () => number
  logger: Logger
}

/** What one destination is doing. */
export interface WorkerStatus {
  destination: string
  inFlight: number
  trouble: Trouble | null
}

/** The two lanes of one destination. They share its slots, so they are worked on together. */
interface Lanes {
  destination: Destination
  watch: TroubleWatch
  inFlight: number
  /** There may be more to claim than there was room for: a slot that becomes free is worth a round. */
  short: boolean
  /** A round is under way. */
  busy: boolean
  /** Lanes that the next round looks at. */
  wanted: Record<Urgency, boolean>
  /** When the next delivery of each lane is due. */
  dueAt: Record<Urgency, number | null>
  cancelTimer: () => void
}

const BOTH: readonly Urgency[] = ['prompt', 'bulk']

/** Bodies of one round of claims. */
const ROUND_BYTES = 16 * 1024 * 1024

/** Results that may wait for the disk before claiming stops: a slow disk slows the sending, not the memory. */
const MOST_UNWRITTEN = 512

/** How long the last results may take to be written when the hub stops (milliseconds). */
const LAST_WRITES = 1_000

/** An unavailable store is asked again after this (milliseconds). */
const STORE_PAUSE = 1_000

/** Takes deliveries that are due from the store and carries them out, lane by lane. */
export function createWorker({ store, destinations, flows, clock, random, logger }: Options) {
  const flowsByName = new Map(flows.map((flow) => [flow.name, flow]))
  const all = destinations.map(
    (destination): Lanes => ({
      destination,
      watch: createTroubleWatch(destination.name, random, logger),
      inFlight: 0,
      short: false,
      busy: false,
      wanted: { prompt: false, bulk: false },
      dueAt: { prompt: null, bulk: null },
      cancelTimer: () => {},
    }),
  )
  const byName = new Map(all.map((lanes) => [lanes.destination.name, lanes]))
  const settling = createSettling(store, clock, logger)
  /** Attempts under way, by their claim's fence. */
  const underWay = createTable<AbortController>()
  const atRest: (() => void)[] = []
  let running = false

  /** One round after another, never two at a time for the same destination. */
  async function pump(lanes: Lanes, urgencies: readonly Urgency[]): Promise<void> {
    if (!running) return
    for (const urgency of urgencies) lanes.wanted[urgency] = true
    if (lanes.busy) return
    lanes.busy = true
    while ((lanes.wanted.prompt || lanes.wanted.bulk) && running) await round(lanes)
    lanes.busy = false
    rest()
  }

  async function round(lanes: Lanes): Promise<void> {
    const now = clock.now()
    const { wanted } = lanes
    lanes.wanted = { prompt: false, bulk: false }
    const trouble = lanes.watch.current()
    if (trouble && now < trouble.until) return wakeAt(lanes, trouble.until)
    try {
      for (const urgency of BOTH) if (wanted[urgency]) lanes.dueAt[urgency] = await claim(lanes, urgency)
      const times = Object.values(lanes.dueAt).filter((at) => at !== null)
      if (times.length > 0) wakeAt(lanes, Math.min(...times))
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) logger.error({ err: error }, 'delivery.claim-failed')
      wakeAt(lanes, now + STORE_PAUSE)
    }
  }

  /** Claims as much of one lane as there is room for and starts it; returns when its next delivery is due. */
  async function claim(lanes: Lanes, urgency: Urgency): Promise<number | null> {
    const items = roomFor(lanes, urgency)
    if (items <= 0) {
      lanes.short = true
      return null
    }
    const { name, lane } = lanes.destination
    const { claims, wakeAt } = await store.claim(
      { destination: name, urgency },
      { items, bytes: ROUND_BYTES },
      lane.timeout * 2,
    )
    if (claims.length === items) lanes.short = true
    if (!running && claims.length > 0) await store.release(claims.map(({ fence }) => fence))
    else for (const one of claims) void carryOut(lanes, one)
    return wakeAt
  }

  /** Bulk never takes the last free slot; a destination in trouble is probed by one delivery at a time. */
  function roomFor({ destination, inFlight, watch }: Lanes, urgency: Urgency): number {
    if (settling.unwritten() >= MOST_UNWRITTEN) return 0
    if (watch.current()) return inFlight > 0 ? 0 : 1
    const { concurrency } = destination.lane
    const free = concurrency - inFlight
    return urgency === 'prompt' || concurrency === 1 ? free : free - 1
  }

  async function carryOut(lanes: Lanes, claim: Claim): Promise<void> {
    lanes.inFlight += 1
    const { destination } = lanes
    const { delivery } = claim
    const at = clock.now()
    const flow = flowsByName.get(delivery.flow)
    const outcome = flow
      ? await tryOnce(claim, flow, destination, { links: store.links, clock, underWay })
      : flowGone(claim)
    const now = clock.now()
    const rule = flow ? whenUnknown(flow, destination.ports) : 'hold'
    const result = next(now, random(), delivery, outcome, rule, destination.lane.timeout)
    if (madeCall(outcome) && lanes.watch.follow(outcome, now)) lanes.short = true

    const code = outcome.type === 'delivered' ? 'delivered' : outcome.code
    const note = outcome.type === 'delivered' ? outcome.note : outcome.why
    const links = outcome.type === 'delivered' ? outcome.links : []
    const attempt = { at, ms: now - at, outcome: outcome.type, code, note }
    log(claim, attempt, result.state)
    settling.settle({ fence: claim.fence, delivery: delivery.id, next: result, attempt, links }, () => freed(lanes))
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

  /** The one line of an attempt. ERROR: somebody must act. */
  function log({ delivery, event }: Claim, attempt: Settlement['attempt'], state: string) {
    const { id, flow, destination } = delivery
    const line = { delivery: id, event: event.id, kind: event.kind, flow, destination, state, ...attempt }
    if (state === 'delivered') logger.info(line, 'delivery.attempted')
    else if (state === 'waiting') logger.warn(line, 'delivery.attempted')
    else logger.error(line, 'delivery.attempted')
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
      if (settling.unwritten() > 0) logger.error({ results: settling.unwritten() }, 'delivery.results-not-written')
    },

    status: (): WorkerStatus[] =>
      all.map(({ destination, inFlight, watch }) => ({
        destination: destination.name,
        inFlight,
        trouble: watch.current(),
      })),
  }
}

/** Config or code has no such flow any more. What may have had its effect stays uncertain. */
function flowGone({ delivery }: Claim): Outcome {
  const type = delivery.open ? 'unknown' : 'dead'
  return { type, code: 'flow-gone', why: `there is no flow "${delivery.flow}" any more` }
}

const NO_CALL = ['flow-gone', 'payload-gone', 'uncertain']

/** Whether the outcome says anything about the destination. */
function madeCall(outcome: Outcome): boolean {
  return outcome.type === 'delivered' || !NO_CALL.includes(outcome.code)
}
