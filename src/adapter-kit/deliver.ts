import { mayBeDestinationWide, type Outcome, outcomeOf } from '../domain/queue/outcome.ts'
import type { Flow } from '../flows/flow.ts'
import { flows } from '../flows/index.ts'
import { perform } from '../ports/perform.ts'
import type { Attempt, Call, Ports } from '../ports/ports.ts'
import { lookUpAndPerform, whenUnknown } from '../queue/call.ts'

/** A delivery as the hub knows it between two attempts. */
export interface Delivery extends Pick<Attempt, 'key' | 'previous' | 'firstTriedAt' | 'links'> {
  call: Call
}

/** What became of a delivery; `why`: in the adapter's words. */
export interface Ending {
  type: 'delivered' | 'held' | 'dead' | 'endless'
  why: string
}

/** (ms) */
const TIMEOUT = 10_000
const MAX_ATTEMPTS = 8

/** One attempt, made as the hub makes it: what is in doubt is looked up first. Never throws. */
export async function attemptOnce(
  ports: Ports,
  delivery: Delivery,
  { signal, mayStillLand = false }: { signal?: AbortSignal; mayStillLand?: boolean } = {},
): Promise<Outcome> {
  const { call, previous, links } = delivery
  const flow = flowOf(call)
  const way = whenUnknown(flow, ports)
  const timeout = AbortSignal.timeout(TIMEOUT)
  const attempt: Attempt = {
    ...{ key: delivery.key, previous, firstTriedAt: delivery.firstTriedAt, mayStillLand },
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    links,
  }
  delivery.firstTriedAt ??= Date.now()
  const outcome = await resultOf().catch(outcomeOf)
  if (outcome.type === 'unknown') delivery.previous = 'open'
  else if (outcome.type === 'retry' && outcome.scope === 'item') delivery.previous = 'failed'
  return outcome

  async function resultOf(): Promise<Outcome> {
    if (previous === 'open' && way === 'hold')
      return { type: 'held', code: 'uncertain', why: 'in doubt: an operator looks whether it happened' }
    const inDoubtUntil = mayStillLand ? Date.now() + TIMEOUT : null
    const unlessFindable = flow.whenInDoubt ?? 'hold'
    const [result] =
      previous === 'open' && way === 'find'
        ? await lookUpAndPerform(ports, [{ call, attempt, onlyLook: false, unlessFindable, inDoubtUntil }])
        : await perform(ports, [{ call, attempt }])
    if (!result || result instanceof Error) return outcomeOf(result ?? new TypeError('the adapter returned nothing'))
    return { type: 'delivered', links: [], note: result.note ?? null }
  }
}

/** Goes on after an outcome as the hub does, without its pauses, until the delivery has ended. */
export async function untilItEnds(ports: Ports, delivery: Delivery, first?: Outcome): Promise<Ending> {
  let outcome = first ?? (await attemptOnce(ports, delivery))
  for (let attempts = 1; attempts < MAX_ATTEMPTS; attempts += 1) {
    if (outcome.type === 'delivered') return { type: 'delivered', why: outcome.note ?? '' }
    const isDead = outcome.type === 'dead' && !mayBeDestinationWide(outcome)
    if (isDead || outcome.type === 'held') return { type: isDead ? 'dead' : 'held', why: outcome.why }
    if (outcome.type === 'unknown' && outcome.byHand) return { type: 'held', why: outcome.why }
    outcome = await attemptOnce(ports, delivery)
  }
  return { type: 'endless', why: 'why' in outcome ? outcome.why : '' }
}

/** The flow that makes such a call: it says what becomes of it in doubt. */
function flowOf({ port, method }: Call): Flow {
  const found = flows.find((flow) => flow.port === port && (flow.method ?? method) === method)
  if (!found) throw new TypeError(`No flow calls ${port}.${method}.`)
  return found
}
