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
import type { Instant } from '../domain/values/instant.ts'
import type { Flow } from '../flows/flow.ts'
import type { Sources } from '../flows/sources.ts'
import { type Clock, toStorageTime } from '../lib/clock.ts'
import type { EventLoop } from '../lib/event-loop.ts'
import { evaluate } from '../lib/jsonata.ts'
import type { Logger } from '../lib/logger.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { type Mappings, mappedEvent, mappingText, NO_MAPPINGS } from '../platform/payloads/mapping/mapping.ts'
import { UNREAD } from '../platform/payloads/unread.ts'
import type { PortName } from '../ports/ports.ts'
import type { Claim, ClaimedDelivery, ClaimResult } from '../storage/claim.ts'
import type { Storage } from '../storage/storage.ts'
import { bisect, type CallEnd, type CallTools, callFor, type Ready, splitForRetry } from './call.ts'
import type { Destination } from './destination.ts'
import { whenUnknown } from './look.ts'
import { afterRefusal, createDependencyWaits } from './on-its-way.ts'
import { prepare as callOf } from './prepare.ts'

interface Options extends Pick<Sources, 'orders' | 'settlements' | 'storeOf'> {
  storage: Omit<Sources, 'orders' | 'settlements' | 'storeOf'> &
    Pick<Storage, 'arePending' | 'delivery' | 'markIsolated'>
  flows: readonly Flow[]
  clock: Clock
  random: () => number
  logger: Logger
  underWay: Map<number, AbortController>
  isRunning: () => boolean
  eventLoop: Pick<EventLoop, 'hasStalledSince'>
  mappings?: Mappings
}

export type EvidenceOn = (delivery: Pick<ClaimedDelivery, 'id' | 'failingSince'>, operation: string) => Evidence

interface Executed {
  results: ClaimResult[]
  at: Instant
  mostTelling: Outcome | null
  operation: string
  calls: number
  several: boolean
}

const HALVING = 5

/** (ms) */
export function leaseOf({ queue }: Destination, urgency: Urgency): number {
  return queue.timeout * 2 + (urgency === 'bulk' ? queue.timeout * HALVING : 0)
}

/** Executes one call of a flow. `evidenceOn`: what other calls to the destination say. */
export function createExecutor({
  storage,
  flows,
  clock,
  random,
  logger,
  eventLoop,
  mappings = NO_MAPPINGS,
  ...rest
}: Options) {
  const { underWay, isRunning, ...sources } = rest
  const flowsByName = new Map(flows.map((flow) => [flow.name, flow]))
  const isMapped = Object.keys(mappings).length > 0
  const isolated = createIsolation({ eventLoop, isRunning, markIsolated: storage.markIsolated })
  const { links, effectsOf, deliveries, arePending, event, find, delivery } = storage
  const books = { ...sources, links, effectsOf, deliveries, event, find, delivery }
  const following = createDependencyWaits(arePending, clock.now)

  return async (
    claims: readonly Claim[],
    destination: Destination,
    urgency: Urgency,
    claimedAt: Instant,
    evidenceOn: EvidenceOn,
  ): Promise<Executed> => {
    const at = clock.now()
    const lastCall = claimedAt + leaseOf(destination, urgency) - destination.queue.timeout
    const flow = flowsByName.get(claims[0]?.delivery.flow ?? '')
    const inTime = () => clock.now() < lastCall
    const tools = { ...books, clock, underWay, isRunning, inTime }
    const tried = flow
      ? await isolated(asMapped(claims, flow), (those) => attemptBatch(those, flow, destination, tools))
      : { outcomes: claims.map(flowGone), mostTelling: null, calls: 0, stalled: NONE }
    if (flow) following.ended(destination.name, flow.name)
    const outcomes = await Promise.all(
      tried.outcomes.map(async (outcome, index) => {
        const claim = claims[index]
        const later = claim && flow ? await unlessToCome(outcome, claim, flow, destination.name, at) : outcome
        return inStorageTime(withMapping(later, claim), clock)
      }),
    )
    const mostTelling = tried.mostTelling && inStorageTime(tried.mostTelling, clock)
    const now = clock.now()
    const rule = flow ? whenUnknown(flow, destination.ports) : 'hold'
    const timing = { at, ms: now - at }
    const others = mostTelling !== null && wasAnswered(mostTelling)
    const operation = operationOf(flow)

    const ended = outcomes.flatMap((given, index) => {
      const claim = claims[index]
      if (!claim) return []
      const { delivery } = claim
      const evidence = evidenceOn(delivery, operation)
      const outcome = unlessDestinationWide(given, evidence, delivery.failingSince, now)
      const held = outcome.type === 'unknown' && outcome.byHand === true
      const { timeout } = destination.queue
      const { own, alone } = evidence
      const counted = { own: own || others, alone }
      const after = next(now, random(), delivery, outcome, held ? 'hold' : rule, timeout, counted)
      // Refused as part of a group before another of it got through: counts as a failure after that success.
      const beganHere = others && delivery.failingSince === null && after.failingSince !== null
      const state = beganHere ? { ...after, failingSince: at } : after
      const crashes = crashesAfter(delivery, given, tried.stalled.has(delivery.id))
      const said = withInDoubt(outcome, claim, rule)
      const result = claimResultOf(claim, said, state, timing, destination)
      return { claim, result: { ...result, ...(crashes > 0 && { crashes }) } }
    })
    logAttempts(logger, ended, timing)
    const { calls } = tried
    return { results: ended.map(({ result }) => result), at, mostTelling, operation, calls, several: claims.length > 1 }
  }

  async function unlessToCome(
    outcome: Outcome,
    claim: Claim,
    flow: Flow,
    destination: string,
    at: Instant,
  ): Promise<Outcome> {
    return await afterRefusal(outcome, claim, flow, clock.now(), (flows) => following.isPending(destination, flows, at))
  }

  function withMapping(outcome: Outcome, claim: Claim | undefined): Outcome {
    const named = claim && outcome.type === 'held' && outcome.code === UNREAD && mappingText(claim.event, mappings)
    return named ? { ...outcome, why: `${outcome.why} (config says: ${named})` } : outcome
  }

  function asMapped(claims: readonly Claim[], { port }: Flow): readonly Claim[] {
    if (!isMapped || port === 'publish') return claims
    return claims.map((claim) => ({ ...claim, event: mappedEvent(claim.event, mappings, evaluate) }))
  }
}

const NONE: ReadonlySet<number> = new Set()

function operationOf(flow: Flow | undefined): string {
  if (!flow) return ''
  return ONE_WAY.includes(flow.port) ? flow.port : flow.name
}

const ONE_WAY: readonly PortName[] = ['publish', 'email', 'texts']

function claimResultOf(
  { fence, delivery }: Claim,
  outcome: Outcome,
  next: ClaimResult['next'],
  timing: { at: number; ms: number },
  { dryRun }: Destination,
): ClaimResult {
  const isDelivered = outcome.type === 'delivered'
  return {
    fence,
    delivery: delivery.id,
    next,
    attempt: {
      ...timing,
      outcome: outcome.type,
      code: isDelivered ? (dryRun ? DRY_RUN : 'delivered') : outcome.code,
      note: isDelivered ? outcome.note : outcome.why,
    },
    links: isDelivered ? outcome.links : [],
    ...((dryRun || (isDelivered && outcome.partly)) && { isPartial: true }),
  }
}

function withInDoubt(outcome: Outcome, { delivery }: Claim, rule: ReturnType<typeof whenUnknown>): Outcome {
  if (outcome.type !== 'delivered' || !delivery.open || rule !== 'repeat') return outcome
  return { ...outcome, note: [outcome.note, MAYBE_TWICE].filter(Boolean).join('; ') }
}

const MAYBE_TWICE = 'maybe for the second time: an earlier try was cut off before its answer'

function inStorageTime(outcome: Outcome, clock: Clock): Outcome {
  if (outcome.type !== 'retry' || outcome.notBefore === null) return outcome
  return { ...outcome, notBefore: toStorageTime(clock, outcome.notBefore) }
}

function flowGone({ delivery }: Claim): Outcome {
  const type = delivery.open ? 'unknown' : 'dead'
  return { type, code: 'flow-gone', why: `there is no flow "${delivery.flow}" any more` }
}

/** Poison messages: deliveries in flight when the process died or stalled are counted (`crashes`). */

const POISON_MESSAGE = 'poison-message'

interface Isolated extends AttemptedBatch {
  stalled: ReadonlySet<number>
}

interface IsolationOptions {
  eventLoop: Pick<EventLoop, 'hasStalledSince'>
  isRunning: () => boolean
  markIsolated: Storage['markIsolated']
}

/** Deliveries in flight at crashes run one at a time, so that the next crash identifies its cause, which is then held. */
export function createIsolation({ eventLoop, isRunning, markIsolated }: IsolationOptions) {
  const sequential = createSemaphore(1)
  /** Its outcome may not be stored yet. */
  let harmlessBefore: number | null = null

  return async (
    claims: readonly Claim[],
    work: (claims: readonly Claim[]) => Promise<AttemptedBatch>,
  ): Promise<Isolated> => {
    const outcomes = new Map<Claim, Outcome>()
    const stalled = new Set<number>()
    let mostTelling: Outcome | null = null
    let calls = 0
    const run = async (these: readonly Claim[]) => {
      const at = performance.now()
      const tried = await work(these)
      for (const [place, claim] of these.entries()) outcomes.set(claim, tried.outcomes[place] ?? NOT_SENT)
      if (eventLoop.hasStalledSince(at)) for (const { delivery } of these) stalled.add(delivery.id)
      if (tried.mostTelling) mostTelling = strongerEvidence(mostTelling, tried.mostTelling)
      calls += tried.calls
    }
    const { harmless = [], suspect = [], poison = [] } = Object.groupBy(claims, suspicion)
    for (const claim of poison) outcomes.set(claim, heldAsPoison(claim))
    if (harmless.length > 0) await run(harmless)
    for (const claim of suspect)
      await sequential(async () => {
        const { id } = claim.delivery
        // Left for later if it cannot be marked: only a marked run may be counted.
        const isMarked = isRunning() && (await markIsolated(id, harmlessBefore).then(yes, no))
        if (!isMarked) return
        harmlessBefore = null
        await run([claim])
        if (!stalled.has(id)) harmlessBefore = id
      })
    return { outcomes: claims.map((claim) => outcomes.get(claim) ?? NOT_SENT), mostTelling, calls, stalled }
  }
}

const yes = () => true
const no = () => false

function suspicion({ delivery: { crashes } }: Claim): 'harmless' | 'suspect' | 'poison' {
  if (crashes >= HELD_AT) return 'poison'
  return crashes >= ISOLATED_AT ? 'suspect' : 'harmless'
}

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
function crashesAfter({ crashes }: Pick<ClaimedDelivery, 'crashes'>, outcome: Outcome, hasStalled: boolean): number {
  if (outcome.type === 'held' && outcome.code === POISON_MESSAGE) return ISOLATED_AT
  const saysNothing = outcome.type === 'wait' || (outcome.type === 'retry' && outcome.scope === 'destination')
  return (saysNothing || hasStalled ? crashes : 0) + (hasStalled ? 1 : 0)
}

const MAX_LINES = 20

function logAttempts(
  logger: Logger,
  ended: readonly { claim: Claim; result: ClaimResult }[],
  timing: { at: number; ms: number },
): void {
  const [first] = ended
  const bad = ended.length === 1 ? ended : ended.filter(({ result }) => levelOf([result.next.state]) !== 'info')
  if (first && ended.length > 1) {
    const { flow, destination, batch } = first.claim.delivery
    const byState = Object.entries(Object.groupBy(ended, ({ result }) => result.next.state))
    const states = Object.fromEntries(byState.map(([state, all]) => [state, all.length]))
    logger[levelOf(Object.keys(states))]({ flow, destination, batch, states, ...timing }, 'delivery.batch-attempted')
  }
  for (const { claim, result } of bad.slice(0, MAX_LINES)) {
    const { id, flow, destination } = claim.delivery
    const { id: event, kind } = claim.event
    const { state } = result.next
    const facts = { delivery: id, event, kind, flow, destination, state, ...result.attempt }
    logger[levelOf([state])](facts, 'delivery.attempted')
  }
}

/** Error level: an operator must act. */
function levelOf(states: readonly string[]): 'info' | 'warn' | 'error' {
  if (states.some((state) => !['delivered', 'superseded', 'waiting'].includes(state))) return 'error'
  return states.includes('waiting') ? 'warn' : 'info'
}

export interface AttemptedBatch {
  outcomes: Outcome[]
  mostTelling: Outcome | null
  calls: number
}

interface Tools extends CallTools, Omit<Sources, 'links'> {
  isRunning: () => boolean
  inTime: () => boolean
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

/** Never throws; each claim gets its own outcome. */
export async function attemptBatch(
  claims: readonly Claim[],
  flow: Flow,
  destination: Destination,
  tools: Tools,
): Promise<AttemptedBatch> {
  const { clock, underWay } = tools
  const limits = { clock, underWay, timeout: destination.queue.timeout }
  const sources = { ...tools, deliveries: askedOnce(tools.deliveries) }
  const prepare = (claim: Claim) => callOf(claim, flow, destination, sources, limits)
  const prepared = await Promise.all(claims.map(prepare))
  const ready = prepared.filter((one) => 'call' in one)
  let mostTelling: Outcome | null = null
  let calls = 0
  let refusedInARow = 0

  async function send(items: readonly Ready[]): Promise<CallEnd[]> {
    if (!tools.inTime()) return items.map(() => ({ outcome: TOO_LATE, together: false }))
    const ends = await callFor(items, flow, destination, tools)
    calls += 1
    refusedInARow = ends.every(({ outcome }) => mayBeDestinationWide(outcome) && !wasCut(outcome))
      ? refusedInARow + 1
      : 0
    for (const { outcome } of ends) mostTelling = strongerEvidence(mostTelling, outcome)
    return ends
  }

  // Enough halves to isolate one bad item; beyond that the items are not the cause.
  const enough = 2 * Math.ceil(Math.log2(ready.length + 1)) + 4
  const wanted = () =>
    tools.isRunning() && refusedInARow < enough && !(mostTelling && isUnreachable(mostTelling) && !wasCut(mostTelling))
  const goOn = () => wanted() && tools.inTime()
  const ends = new Map<Ready, Outcome>()
  for (const piece of callsOf(ready)) {
    if (ends.size > 0 && !goOn()) break
    const ended = piece.length > 1 ? await bisect(piece, send, goOn) : await send(piece)
    for (const [place, one] of piece.entries()) {
      const outcome = ended[place]?.outcome
      if (outcome) ends.set(one, outcome)
    }
  }
  // If the lease ended before any outcome, that counts as an attempt.
  const left = wanted() && ends.size === 0 ? cutShort(NOT_SENT) : NOT_SENT
  return { outcomes: prepared.map((one) => ('call' in one ? (ends.get(one) ?? left) : one)), mostTelling, calls }
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

function callsOf(ready: readonly Ready[]): Ready[][] {
  const failed = ({ claim: { delivery } }: Ready) =>
    delivery.tries > 0 && (delivery.open || delivery.urgency === 'prompt')
  const before = ready.filter(failed)
  if (before.length === 0) return ready.length === 0 ? [] : [[...ready]]
  const fresh = ready.filter((one) => !failed(one))
  const tries = Math.max(...before.map(({ claim }) => claim.delivery.tries))
  return [...(fresh.length > 0 ? [fresh] : []), ...splitForRetry(before, tries)]
}

/** An unreachable destination tells most, an unknown outcome least. */
export function strongerEvidence(mostTelling: Outcome | null, outcome: Outcome): Outcome {
  return mostTelling === null || evidenceStrength(outcome) > evidenceStrength(mostTelling) ? outcome : mostTelling
}

function evidenceStrength(outcome: Outcome): number {
  if (isUnreachable(outcome)) return wasCut(outcome) ? 1 : 4
  if (outcome.type === 'delivered') return 3
  return wasAnswered(outcome) ? 2 : 0
}
