import { next } from '../domain/delivery.ts'
import type { Instant } from '../domain/instant.ts'
import type { Urgency } from '../domain/lane.ts'
import { gotThrough, type Outcome } from '../domain/outcome.ts'
import type { Flow } from '../flows/flow.ts'
import { byClock, type Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { Table } from '../lib/table.ts'
import type { Claim, Settlement, Store } from '../store/store.ts'
import { tryTogether } from './attempt.ts'
import type { Destination } from './destination.ts'
import type { Sources } from './known.ts'
import { createAttemptLog } from './log.ts'
import { whenUnknown } from './look.ts'
import { createApart, heldFor } from './standing/apart.ts'
import type { Standing } from './standing/standing.ts'

interface Options extends Pick<Sources, 'orders' | 'settlements' | 'storeNoOf'> {
  store: Pick<Store, 'links' | 'skippedEffects'>
  flows: readonly Flow[]
  clock: Clock
  /** In [0, 1). */
  random: () => number
  logger: Logger
  /** Calls under way, by a fence of theirs. */
  underWay: Table<AbortController>
  isRunning: () => boolean
  standing: Standing
}

/** What is to be written about a call. */
interface CarriedOut {
  results: Settlement[]
  /** What tells whether the destination is in trouble; null: it was not called. */
  told: Outcome | null
}

/** How much longer bulk calls that are refused together may go on in halves, in times of one call. */
const HALVING = 5

/** How long what was claimed for a call may take: its time, as much again to write it down, and the halves. */
export function leaseOf({ lane }: Destination, urgency: Urgency): number {
  return lane.timeout * 2 + (urgency === 'bulk' ? lane.timeout * HALVING : 0)
}

/**
 * Carries out a call of one flow, and decides what becomes of each of its deliveries. `claimedAt`: when it was asked for, from
 * which on its lease lasts. `answers`: whether the destination answers others.
 */
export function createCarryOut({ store, flows, clock, random, logger, standing, ...rest }: Options) {
  const { underWay, isRunning, ...sources } = rest
  const flowsByName = new Map(flows.map((flow) => [flow.name, flow]))
  const log = createAttemptLog(logger)
  const apart = createApart(standing, isRunning)
  const books = { ...sources, links: store.links, skippedEffects: store.skippedEffects }

  return async (
    claims: readonly Claim[],
    destination: Destination,
    urgency: Urgency,
    claimedAt: Instant,
    answers: () => boolean,
  ): Promise<CarriedOut> => {
    const at = clock.now()
    const lastCall = claimedAt + leaseOf(destination, urgency) - destination.lane.timeout
    const flow = flowsByName.get(claims[0]?.delivery.flow ?? '')
    const inTime = () => clock.now() < lastCall
    const inHand = standing.take(claims.map(({ delivery }) => delivery.id))
    const tools = { ...books, clock, underWay, isRunning, inTime, inHand }
    const tried = flow
      ? await apart(claims, (those) => tryTogether(those, flow, destination, tools))
      : { outcomes: claims.map(flowGone), told: null }
    inHand.layDown()
    const outcomes = tried.outcomes.map((outcome, index) => moved(unlessHeld(outcome, claims[index]), clock))
    const told = tried.told && moved(tried.told, clock)
    const now = clock.now()
    const rule = flow ? whenUnknown(flow, destination.ports) : 'hold'
    const timing = { at, ms: now - at }
    const answered = answers() || (told !== null && gotThrough(told))

    const ended = outcomes.flatMap((outcome, index) => {
      const claim = claims[index]
      if (!claim) return []
      const held = outcome.type === 'unknown' && outcome.byHand === true
      const { timeout } = destination.lane
      const state = next(now, random(), claim.delivery, outcome, held ? 'hold' : rule, timeout, answered)
      return [{ claim, result: settlementOf(claim, outcome, state, timing, destination) }]
    })
    log(ended, timing)
    return { results: ended.map(({ result }) => result), told }
  }

  /** What the hub stood still over is held, unless it is done all the same. */
  function unlessHeld(outcome: Outcome, claim: Claim | undefined): Outcome {
    if (!claim || standing.isQuiet()) return outcome
    const { id, flow, destination } = claim.delivery
    const ms = standing.stoodFor(id)
    if (ms === null) return outcome
    logger.error({ delivery: id, event: claim.event.id, flow, destination, ms }, 'delivery.stood-the-hub')
    return heldFor(ms, claim, outcome)
  }
}

function settlementOf(
  { fence, delivery }: Claim,
  outcome: Outcome,
  next: Settlement['next'],
  timing: { at: number; ms: number },
  { dryRun }: Destination,
): Settlement {
  const isDelivered = outcome.type === 'delivered'
  return {
    fence,
    delivery: delivery.id,
    next,
    attempt: {
      ...timing,
      outcome: outcome.type,
      code: isDelivered ? 'delivered' : outcome.code,
      note: isDelivered ? outcome.note : outcome.why,
    },
    links: isDelivered ? outcome.links : [],
    ...(dryRun && { dryRun }),
  }
}

/** An adapter names instants by this machine's clock, which may be off; hubs agree on another. */
function moved(outcome: Outcome, clock: Clock): Outcome {
  if (outcome.type !== 'retry' || outcome.notBefore === null) return outcome
  return { ...outcome, notBefore: byClock(clock, outcome.notBefore) }
}

/** Config or code has no such flow any more. What may have had its effect stays uncertain. */
function flowGone({ delivery }: Claim): Outcome {
  const type = delivery.open ? 'unknown' : 'dead'
  return { type, code: 'flow-gone', why: `there is no flow "${delivery.flow}" any more` }
}
