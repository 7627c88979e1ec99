import { type Attempt, type Call, type Effect, finderOf, type Ports, perform } from '../adapters/adapter.ts'
import { FIND_FAILED, type WhenUnknown } from '../domain/delivery.ts'
import { PermanentError, UnknownOutcomeError } from '../domain/errors.ts'
import { deliveryKey } from '../domain/event.ts'
import { type Outcome, outcomeOf } from '../domain/outcome.ts'
import type { Flow } from '../flows/flow.ts'
import type { Clock } from '../lib/clock.ts'
import type { Table } from '../lib/table.ts'
import type { Claim, Store } from '../store/store.ts'
import type { Destination } from './destination.ts'

/** An adapter that does not stop when told to is left behind after so long (milliseconds). */
const GRACE = 1_000

/** Longest text of a dry run's record. */
const RECORD = 2_000

/** What is done when a call of this flow to this destination may have had its effect and nobody knows. */
export function whenUnknown(flow: Flow, ports: Ports): WhenUnknown {
  if (!flow.once) return 'repeat'
  if (finderOf(ports, flow.port)) return 'find'
  return flow.onUnknown === 'repeat' ? 'repeat' : 'hold'
}

/** Carries out one claimed delivery and says how it ended. Never throws. What `underWay` holds can end it early. */
export async function tryOnce(
  claim: Claim,
  flow: Flow,
  destination: Destination,
  tools: { links: Store['links']; clock: Clock; underWay: Table<AbortController> },
): Promise<Outcome> {
  const { delivery, event } = claim
  const { lane, ports } = destination
  const rule = whenUnknown(flow, ports)
  if (delivery.open && rule === 'hold')
    return {
      type: 'unknown',
      code: 'uncertain',
      why: 'an earlier try may have had its effect, and nobody can look it up',
    }

  const abort = new AbortController()
  const cancel = tools.clock.after(lane.timeout, () => abort.abort(new Error(`no result within ${lane.timeout} ms`)))
  tools.underWay.set(claim.fence, abort)
  const attempt: Attempt = {
    key: deliveryKey(event, flow.name, delivery.part),
    previous: delivery.open ? 'open' : delivery.tries > 0 ? 'failed' : 'none',
    firstTriedAt: delivery.firstTriedAt,
    signal: abort.signal,
    links: (kind, ids) => tools.links(destination.name, kind, ids),
  }
  try {
    if (event.body.byteLength === 0)
      throw new PermanentError('The payload is not kept any more.', { code: 'payload-gone' })
    const call = flow.call(event, delivery)
    if (destination.dryRun) return delivered({ note: `dry run: ${describe(call)}` }, destination)
    const effect =
      delivery.open && rule === 'find' ? lookOrPerform(ports, flow, call, attempt) : perform(ports, call, attempt)
    return delivered(await within(effect, attempt.signal, tools.clock), destination)
  } catch (error) {
    return outcomeOf(error)
  } finally {
    cancel()
    tools.underWay.delete(claim.fence)
  }
}

/** Makes the call only where the destination says that an earlier one had no effect, while there is time left. */
async function lookOrPerform(ports: Ports, flow: Flow, call: Call, attempt: Attempt): Promise<Effect> {
  const found = await look(ports, flow, attempt)
  if (found) return found
  // The attempt may have been left behind, and another one begun.
  if (attempt.signal.aborted) throw new UnknownOutcomeError('No time was left for the call.')
  return await perform(ports, call, attempt)
}

/** Asks the destination whether an uncertain effect is there. A look that fails leaves it uncertain. */
async function look(ports: Ports, flow: Flow, attempt: Attempt): Promise<Effect | null> {
  try {
    const effect = (await finderOf(ports, flow.port)?.(attempt)) ?? null
    return effect && { ...effect, note: `found there: ${effect.note ?? 'it had happened'}` }
  } catch (error) {
    const outcome = outcomeOf(error)
    if (outcome.type === 'retry' && outcome.scope === 'destination') throw error
    const why = outcome.type === 'delivered' ? '' : outcome.why
    throw new UnknownOutcomeError(`looking for the effect of an earlier try failed: ${why}`, {
      code: FIND_FAILED,
      cause: error,
    })
  }
}

/** Ends with the call, or a little after it was told to stop. */
async function within(call: Promise<Effect>, signal: AbortSignal, clock: Clock): Promise<Effect> {
  const left = Promise.withResolvers<never>()
  let cancel = () => {}
  const onAbort = () => {
    cancel = clock.after(GRACE, () => left.reject(new UnknownOutcomeError('The adapter did not stop when told to.')))
  }
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([call, left.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
    cancel()
  }
}

/** An adapter's word is checked before it counts: what is no text could not be kept. */
function delivered(effect: Effect, destination: Destination): Outcome {
  const note = effect.note ?? null
  const links = (effect.links ?? []).map(({ kind, id, theirId }) => ({
    destination: destination.name,
    kind: text(kind),
    id: text(id),
    theirId: text(theirId),
  }))
  return { type: 'delivered', links, note: note === null ? null : text(note) }
}

function text(value: unknown): string {
  if (typeof value === 'string') return value
  throw new TypeError(`the adapter gave ${typeof value} where a note or a link must be text`)
}

/** What would be sent, for people. A Buffer turns itself into a list of numbers before a replacer sees it. */
function describe({ port, method, argument }: Call): string {
  const text = JSON.stringify(argument, function (this: Record<string, unknown>, name: string, value: unknown) {
    const given = this[name]
    return given instanceof Uint8Array ? `${given.byteLength} bytes` : value
  })
  return `${port}.${method} ${text}`.slice(0, RECORD)
}
