import { HELD_AT, ISOLATED_AT, next } from '../domain/queue/delivery.ts'
import {
  cutShort,
  DRY_RUN,
  type Evidence,
  isUnreachable,
  mayBeDestinationWide,
  type Outcome,
  unlessDestinationWide,
  wasAnswered,
  wasCut,
} from '../domain/queue/outcome.ts'
import type { Urgency } from '../domain/queue/queue-key.ts'
import { type Instant, isInFuture } from '../domain/values/instant.ts'
import type { Flow, IsPending, Sources } from '../flows/flow.ts'
import type { Clock } from '../lib/clock.ts'
import type { EventLoop } from '../lib/event-loop.ts'
import { evaluate } from '../lib/jsonata.ts'
import type { Logger } from '../lib/logger.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { type Mappings, mappedEvent, mappingText, NO_MAPPINGS } from '../platform/payloads/mapping/mapping.ts'
import { UNREAD } from '../platform/payloads/unread.ts'
import type { PortName } from '../ports/ports.ts'
import type { Claim, ClaimResult } from '../storage/claim.ts'
import type { Storage } from '../storage/storage.ts'
import { begin, type CallTools, type InFlight, type Limits, makeCall, prepare } from './call.ts'
import type { Destination } from './destination.ts'

interface Options extends Pick<Sources, 'orders' | 'settlements' | 'storeOf'> {
  storage: Omit<Sources, 'orders' | 'settlements' | 'storeOf'> &
    Pick<Storage, 'arePending' | 'delivery' | 'markIsolated'>
  flows: readonly Flow[]
  clock: Clock
  random: () => number
  logger: Logger
  underWay: Limits['underWay']
  isRunning: () => boolean
  eventLoop: Pick<EventLoop, 'hasStalledSince'>
  mappings?: Mappings
}

/** What other calls to the destination say. */
export type EvidenceOn = (delivery: { id: number; failingSince: Instant | null }, operation: string) => Evidence

const HALVING = 5

/** (ms) */
export function leaseOf({ queue }: Destination, urgency: Urgency): number {
  return queue.timeout * 2 + (urgency === 'bulk' ? queue.timeout * HALVING : 0)
}

/** What calls of one flow, for deliveries that were claimed together, have told so far. */
interface Told {
  /** Of all outcomes, the one that tells most about the destination. */
  mostTelling: Outcome | null
  calls: number
}

interface Executed extends Told {
  results: ClaimResult[]
  at: Instant
  operation: string
  several: boolean
}

/** Executes deliveries of one flow that were claimed together: from their claims to what is to be written. Never throws. */
export function createExecutor({ storage, flows, clock, random, logger, mappings = NO_MAPPINGS, ...rest }: Options) {
  const flowsByName = new Map(flows.map((flow) => [flow.name, flow]))
  const isMapped = Object.keys(mappings).length > 0
  const isolated = createIsolation({ isRunning: rest.isRunning, markIsolated: storage.markIsolated })
  const pending = createPending(storage.arePending, clock.now)
  const { links, effectsOf, deliveries, event, find, delivery } = storage
  const tools = { ...rest, links, effectsOf, deliveries, event, find, delivery, clock }

  /** `until`: when their claims end. */
  return async function execute(
    claims: readonly Claim[],
    destination: Destination,
    until: Instant,
    evidenceOn: EvidenceOn,
  ): Promise<Executed> {
    const at = clock.now()
    const lastCallAt = until - destination.queue.timeout
    const name = claims[0]?.delivery.flow ?? ''
    const found = flowsByName.get(name)
    const flow = found ?? goneFlow(name)
    const told: Told = { mostTelling: null, calls: 0 }
    const batch = claims.map((claim) => {
      const one = begin(claim, flow, destination, rest, at)
      if (isMapped && flow.port !== 'publish') one.event = mappedEvent(one.event, mappings, evaluate)
      return one
    })
    if (found) await isolated(batch, (some) => attempt(some, flow, destination, told, { ...tools, lastCallAt }))
    else for (const one of batch) one.outcome = flowGone(one)
    pending.ended(destination.name, flow.name)

    const isPending: IsPending = (flows) => pending.isPending(destination.name, flows, at)
    for (const one of batch) if (one.outcome?.type !== 'delivered') one.outcome = await concluded(one, flow, isPending)
    const { mostTelling, calls } = told
    const operation = ONE_WAY.includes(flow.port) ? flow.port : flow.name
    const isAnswered = mostTelling !== null && wasAnswered(mostTelling)
    const round: Round = {
      destination,
      at,
      now: clock.now(),
      isAnswered,
      evidenceOn: (of) => evidenceOn(of, operation),
    }
    const results = batch.map((one) => resultOf(one, one.outcome ?? NOT_SENT, round))
    logAttempts(logger, batch, results)
    return { results, at, mostTelling, operation, calls, several: claims.length > 1 }
  }

  /** The outcome, with what its flow makes of a refusal. */
  async function concluded(one: InFlight, flow: Flow, isPending: IsPending): Promise<Outcome> {
    const outcome = one.outcome ?? NOT_SENT
    if (outcome.type === 'dead') return await afterRefusal(outcome, one, flow, clock.now(), isPending)
    const mapping = outcome.type === 'held' && outcome.code === UNREAD && mappingText(one.event, mappings)
    return mapping ? { ...outcome, why: `${outcome.why} (config says: ${mapping})` } : outcome
  }

  /** What an outcome means for the delivery, by what other calls to the destination say. */
  function resultOf(
    one: InFlight,
    given: Outcome,
    { destination, at, now, isAnswered, evidenceOn }: Round,
  ): ClaimResult {
    const { fence, delivery, way } = one
    const { own, alone } = given.type === 'delivered' ? NO_EVIDENCE : evidenceOn(delivery)
    const { failingSince } = delivery
    const outcome = given.type === 'dead' ? unlessDestinationWide(given, { own, alone }, failingSince, now) : given
    const rule = outcome.type === 'unknown' && outcome.byHand ? 'hold' : way
    const evidence = { own: own || isAnswered, alone }
    const after = next(now, random(), delivery, outcome, rule, destination.queue.timeout, evidence)
    // Refused as part of a group before another of it got through: counts as a failure after that success.
    const isSince = isAnswered && failingSince === null && after.failingSince !== null
    const isDelivered = outcome.type === 'delivered'
    const crashes = isDelivered && !one.hasStalled ? 0 : crashesAfter(one, given)
    const isRepeated = isDelivered && delivery.open && way === 'repeat'
    const note = isDelivered ? outcome.note : outcome.why
    return {
      ...{ fence, delivery: delivery.id, next: isSince ? { ...after, failingSince: at } : after },
      attempt: {
        // By a clock that was set meanwhile it may be anything.
        ...{ at, ms: Math.min(Math.max(0, now - at), LONGEST), outcome: outcome.type },
        code: isDelivered ? (destination.dryRun ? DRY_RUN : 'delivered') : outcome.code,
        note: isRepeated ? [note, MAYBE_TWICE].filter(Boolean).join('; ') : note,
      },
      links: isDelivered ? outcome.links : [],
      ...((destination.dryRun || (isDelivered && outcome.partly)) && { isPartial: true }),
      ...(crashes > 0 && { crashes }),
    }
  }
}

interface Round {
  destination: Destination
  at: Instant
  now: Instant
  /** One of them was answered, so a failure of another is its own. */
  isAnswered: boolean
  evidenceOn(delivery: { id: number; failingSince: Instant | null }): Evidence
}

/** (ms) */
const LONGEST = 24 * 3_600_000

const NO_EVIDENCE: Evidence = { own: true, alone: null }

/** Of a delivery whose flow another version of the hub had. */
function goneFlow(name: string): Flow {
  return {
    ...{ name, kinds: [], port: 'publish', urgency: 'bulk', atMostOnce: true, noLookup: true, whenInDoubt: 'hold' },
    plan: () => [],
    call: () => null,
  }
}

const ONE_WAY: readonly PortName[] = ['publish', 'email', 'texts']

function flowGone({ delivery }: Claim): Outcome {
  const type = delivery.open ? 'unknown' : 'dead'
  return { type, code: 'flow-gone', why: `there is no flow "${delivery.flow}" any more` }
}

const MAYBE_TWICE = 'maybe for the second time: an earlier try was cut off before its answer'

/** What the guards of its flow make of a refusal. */
export async function afterRefusal(
  outcome: Outcome,
  { event }: Pick<Claim, 'event'>,
  { guards = [] }: Flow,
  now: Instant,
  isPending: IsPending,
): Promise<Outcome> {
  if (outcome.type !== 'dead') return outcome
  for (const { onRefusal } of guards) {
    // A storage that cannot answer must not lose the outcome of a call.
    const after: Outcome | undefined = await onRefusal?.(outcome, { event, now }, isPending).catch(() => outcome)
    if (after !== undefined && after !== outcome) return after
  }
  return outcome
}

/** Answers serve other refusals for so long (ms). */
const FRESH = 1_000

/** Which flows are under way to a destination, or ended since a call began. */
export function createPending(arePending: Storage['arePending'], now: () => Instant) {
  const endedAt = new Map<string, Instant>()
  const asked = new Map<string, { at: Instant; answer: Promise<boolean> }>()

  function ask(destination: string, flows: readonly string[]): Promise<boolean> {
    const key = `${flows.join()} ${destination}`
    const before = asked.get(key)
    if (before && Math.abs(now() - before.at) < FRESH) return before.answer
    const answer = arePending(destination, flows)
    answer.catch(() => asked.delete(key))
    asked.set(key, { at: now(), answer })
    return answer
  }

  return {
    ended: (destination: string, flow: string): void => void endedAt.set(`${flow} ${destination}`, now()),

    async isPending(destination: string, flows: readonly string[], since: Instant): Promise<boolean> {
      const isJustOver = () =>
        flows.some((flow) => {
          const at = endedAt.get(`${flow} ${destination}`) ?? 0
          return at >= since && !isInFuture(at, now())
        })
      // A call may end and be written while the storage is asked.
      return isJustOver() || (await ask(destination, flows)) || isJustOver()
    },
  }
}

/** Poison messages: deliveries in flight when the process died or stalled are counted (`crashes`). */

const POISON_MESSAGE = 'poison-message'

/** Deliveries in flight at crashes run one at a time, so that the next crash identifies its cause, which is then held. */
export function createIsolation({
  isRunning,
  markIsolated,
}: Pick<Options, 'isRunning'> & Pick<Storage, 'markIsolated'>) {
  const sequential = createSemaphore(1)
  /** Its outcome may not be stored yet. */
  let harmlessBefore: number | null = null

  return async function isolated(
    batch: readonly InFlight[],
    work: (some: readonly InFlight[]) => Promise<void>,
  ): Promise<void> {
    const harmless = batch.filter(({ delivery }) => delivery.crashes < ISOLATED_AT)
    if (harmless.length > 0) await work(harmless)
    for (const one of batch) {
      if (one.delivery.crashes < ISOLATED_AT) continue
      if (one.delivery.crashes >= HELD_AT) {
        one.outcome = heldAsPoison(one)
        continue
      }
      await sequential(async () => {
        const { id } = one.delivery
        // Left for later if it cannot be marked: only a marked run may be counted.
        const isMarked = isRunning() && (await markIsolated(id, harmlessBefore).then(yes, no))
        if (!isMarked) return
        harmlessBefore = null
        await work([one])
        if (!one.hasStalled) harmlessBefore = id
      })
    }
  }
}

const yes = () => true
const no = () => false

function heldAsPoison({ delivery, event }: Claim): Outcome {
  const { id, flow, destination, crashes } = delivery
  const whose = `flow ${flow} to ${destination}`
  return {
    type: 'held',
    code: POISON_MESSAGE,
    why: `it was in flight ${crashes} times when the hub died or stalled, the last time alone (${whose}): look at it with "events show ${event.id}"; release it with "deliveries retry ${id}"`,
  }
}

/** Unchanged if nothing was sent, plus one for a survived stall, else cleared. Poison restarts isolated when released. */
function crashesAfter({ delivery: { crashes }, hasStalled }: InFlight, outcome: Outcome): number {
  if (outcome.type === 'held' && outcome.code === POISON_MESSAGE) return ISOLATED_AT
  const saysNothing = outcome.type === 'wait' || (outcome.type === 'retry' && outcome.scope === 'destination')
  return (saysNothing || hasStalled ? crashes : 0) + (hasStalled ? 1 : 0)
}

const MAX_LINES = 20

/** Error level: an operator must act. */
const LEVELS = { delivered: 'info', superseded: 'info', waiting: 'warn', held: 'error', dead: 'error' } as const

function logAttempts(logger: Logger, batch: readonly InFlight[], results: readonly ClaimResult[]): void {
  const [first, result] = [batch[0], results[0]]
  if (first && result && batch.length > 1) {
    const { at, ms } = result.attempt
    const { flow, destination, batch: name } = first.delivery
    const byState = Object.entries(Object.groupBy(results, ({ next }) => next.state))
    const states = Object.fromEntries(byState.map(([state, all]) => [state, all.length]))
    const levels = results.map(({ next }) => LEVELS[next.state])
    const level = levels.includes('error') ? 'error' : levels.includes('warn') ? 'warn' : 'info'
    logger[level]({ flow, destination, batch: name, states, at, ms }, 'delivery.batch-attempted')
  }
  let lines = 0
  for (const [index, { next, attempt }] of results.entries()) {
    const one = batch[index]
    const level = LEVELS[next.state]
    if (!one || (batch.length > 1 && level === 'info') || ++lines > MAX_LINES) continue
    const { id, flow, destination } = one.delivery
    const { id: event, kind } = one.event
    logger[level]({ delivery: id, event, kind, flow, destination, state: next.state, ...attempt }, 'delivery.attempted')
  }
}

interface Tools extends CallTools, Omit<Sources, 'links'>, Pick<Options, 'eventLoop'> {
  isRunning: () => boolean
  /** A call that begins later may outlast its claim. */
  lastCallAt: Instant
}

/** Nothing was sent: requeue without consuming an attempt. */
const NOT_SENT: Outcome = {
  type: 'retry',
  scope: 'destination',
  notBefore: null,
  code: 'not-its-turn',
  why: 'it went out together with others that failed, and the time to send it apart from them was over',
}

/** Nothing was sent after a stall: counts as an attempt. */
const TOO_LATE = cutShort({
  type: 'retry',
  scope: 'destination',
  notBefore: null,
  code: 'too-late',
  why: 'the time that it was claimed for was over before it could be sent',
})

/** Prepares deliveries, and sends those that have a call, together where they may be. Never throws; sets the outcome of each. */
export async function attempt(
  batch: readonly InFlight[],
  flow: Flow,
  destination: Destination,
  told: Told,
  tools: Tools,
): Promise<void> {
  const { clock, eventLoop, underWay, isRunning, lastCallAt } = tools
  const begunAt = performance.now()
  const limits = { clock, underWay, timeout: destination.queue.timeout }
  const sources = batch.length > 1 ? { ...tools, deliveries: askedOnce(tools.deliveries) } : tools
  await Promise.all(batch.map((one) => prepare(one, flow, destination, sources, limits)))
  const ready = batch.filter(({ call }) => call !== null)
  let refusedInARow = 0

  async function send(items: readonly InFlight[]): Promise<void> {
    if (clock.now() >= lastCallAt) {
      for (const one of items) Object.assign(one, { outcome: TOO_LATE, together: false })
      return
    }
    await makeCall(items, flow, destination, tools)
    told.calls += 1
    const outcomes = items.flatMap(({ outcome }) => outcome ?? [])
    const areRefused = outcomes.every((one) => one.type !== 'delivered' && mayBeDestinationWide(one) && !wasCut(one))
    refusedInARow = areRefused ? refusedInARow + 1 : 0
    for (const outcome of outcomes)
      told.mostTelling = told.mostTelling === null ? outcome : strongerEvidence(told.mostTelling, outcome)
  }

  // Enough halves to isolate one bad item; beyond that the items are not the cause.
  const enough = 2 * Math.ceil(Math.log2(ready.length + 1)) + 4
  const isWanted = () => {
    const { mostTelling } = told
    const isAway = mostTelling !== null && isUnreachable(mostTelling) && !wasCut(mostTelling)
    return isRunning() && refusedInARow < enough && !isAway
  }
  const goOn = () => isWanted() && clock.now() < lastCallAt
  for (const piece of ready.length === 1 ? [ready] : piecesOf(ready)) {
    if (ready.some(({ outcome }) => outcome !== null) && !goOn()) break
    if (piece.length > 1) await bisect(piece, send, goOn)
    else await send(piece)
  }
  // If the lease ended before any outcome, that counts as an attempt.
  const isCounted = ready.every(({ outcome }) => outcome === null) && isWanted()
  for (const one of ready) one.outcome ??= isCounted ? cutShort(NOT_SENT) : NOT_SENT
  if (eventLoop.hasStalledSince(begunAt)) for (const one of batch) one.hasStalled = true
}

function askedOnce(deliveries: Sources['deliveries']): Sources['deliveries'] {
  const asked = new Map<string, ReturnType<Sources['deliveries']>>()
  return (filter) => {
    const key = JSON.stringify(filter)
    const answer = asked.get(key) ?? deliveries(filter)
    asked.set(key, answer)
    return answer
  }
}

/** Deliveries that failed before go out apart from the others, in smaller calls. */
function piecesOf(ready: readonly InFlight[]): InFlight[][] {
  const { fresh = [], again = [] } = Object.groupBy(ready, ({ delivery: { tries, open, urgency } }) =>
    tries > 0 && (open || urgency === 'prompt') ? 'again' : 'fresh',
  )
  const first = fresh.length > 0 ? [fresh] : []
  if (again.length === 0) return first
  return [...first, ...splitForRetry(again, Math.max(...again.map(({ delivery }) => delivery.tries)))]
}

/** A sixteenth after the first attempt, then a sixteenth of that, then single items. */
export function splitForRetry<Item>(items: readonly Item[], tries: number): Item[][] {
  const size = tries >= ALONE_AFTER ? 1 : Math.ceil(items.length / 16 ** tries)
  return Array.from({ length: Math.ceil(items.length / size) }, (_, no) => items.slice(no * size, (no + 1) * size))
}

const ALONE_AFTER = 3

/** Sends again in halves until the bad ones are isolated; those that were not sent again have no outcome. What was cut stays cut if it may have been executed or was in the last cut call. */
export async function bisect<One extends Pick<InFlight, 'outcome' | 'together'>>(
  items: readonly One[],
  send: (items: readonly One[]) => Promise<void>,
  goOn: () => boolean,
): Promise<void> {
  let lastCut = new Set<One>()

  async function sent(some: readonly One[]): Promise<true> {
    await send(some)
    if (some.some(isCut)) lastCut = new Set(some)
    return true
  }

  const sentOn = async (half: readonly One[]) => half.length > 0 && goOn() && (await sent(half))

  async function halve(whole: readonly One[]): Promise<void> {
    const failed = whole.filter(({ together }) => together)
    if (whole.length === 1 || failed.length === 0) return
    const middle = Math.ceil(failed.length / 2)
    const [first, second] = [failed.slice(0, middle), failed.slice(middle)]
    const isFirstSent = await sentOn(first)
    // A cut call takes its full timeout: try the other half before bisecting further.
    const isSecondSent = isFirstSent && first.some(isCut) && (await sentOn(second))
    await (isFirstSent ? halve(first) : leave(first))
    await (isSecondSent || (await sentOn(second)) ? halve(second) : leave(second))
  }

  function leave(half: readonly One[]): void {
    for (const one of half)
      if (!isCut(one) || (one.outcome?.type !== 'unknown' && !lastCut.has(one))) one.outcome = null
  }

  await sent(items)
  await halve(items)
}

function isCut({ outcome }: Pick<InFlight, 'outcome'>): boolean {
  return outcome !== null && wasCut(outcome)
}

/** An unreachable destination tells most, an unknown outcome least. */
export function strongerEvidence(mostTelling: Outcome, outcome: Outcome): Outcome {
  return evidenceStrength(outcome) > evidenceStrength(mostTelling) ? outcome : mostTelling
}

function evidenceStrength(outcome: Outcome): number {
  if (isUnreachable(outcome)) return wasCut(outcome) ? 1 : 4
  if (outcome.type === 'delivered') return 3
  return wasAnswered(outcome) ? 2 : 0
}
