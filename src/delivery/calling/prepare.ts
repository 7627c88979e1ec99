import type { Link } from '../../domain/orders/link.ts'
import { type Outcome, outcomeOf } from '../../domain/queue/outcome.ts'
import { partOf } from '../../domain/queue/sent-again.ts'
import { HeldError, PermanentError } from '../../domain/values/errors.ts'
import type { Flow, Known } from '../../flows/flow.ts'
import type { Call } from '../../ports/ports.ts'
import type { Claim, Released } from '../../store/claim.ts'
import { afterEarlier, afterItsMaking, wasNeverMade } from '../cause.ts'
import type { Destination } from '../destination.ts'
import { delivered, describe } from '../effect.ts'
import { bearOut } from '../evidence/evidence.ts'
import type { Ready } from './call.ts'
import { isOfAnother, knownAtOnce, learn, mustLearn, type Sources, stillHolds } from './inputs.ts'
import { whenUnknown } from './look.ts'
import { type LeftOver, leftOver } from './undone.ts'
import { type Limits, withTimeout } from './with-timeout.ts'
import { mayBeWithdrawn, type Withdrawn, withdrawnSince } from './withdrawn.ts'

/** The call of a claim, or how it ended without one. Never rejects. */
export async function prepare(
  claim: Claim,
  flow: Flow,
  destination: Destination,
  sources: Sources,
  limits: Limits,
): Promise<Ready | Outcome> {
  const { delivery, event, unchanged, outdated } = claim
  const { name } = destination
  const step = { part: partOf(delivery.part) }
  const callOf = (known: Known, about = event) => redirected(flow.call(about, step, known), delivery.released)
  if (unchanged) return notMade('unchanged', `unchanged: ${name} has acknowledged the same`)
  if (outdated) return notMade('outdated', `outdated: ${name} has acknowledged a newer one`)
  if (claim.untold && flow.onlyIfTold?.(event)) return notMade('nothing-left', `${name} was never told of it before`)
  if (delivery.open && whenUnknown(flow, destination.ports) === 'hold')
    return {
      type: 'unknown',
      code: 'uncertain',
      why: 'an earlier try may have had its effect, and nobody can look it up',
    }
  try {
    if (event.body.byteLength === 0)
      throw new PermanentError('The payload is not kept any more.', { code: 'payload-gone' })
    const now = limits.clock.now()
    if (!mustLearn(claim, flow) && !mayBeWithdrawn(claim, flow, now))
      return made(claim, callOf(knownAtOnce(claim, destination, sources)), destination, [], false)
    return await withTimeout(limits, claim.fence, async (signal) => {
      await afterItsMaking(claim, flow, sources.deliveries, now)
      await afterEarlier(claim, flow, sources.deliveries, now)
      if (await wasNeverMade(claim, flow, sources.deliveries))
        return notMade('nothing-left', `${name} never had it: ${flow.takesBack} was overtaken before it was made`)
      const left = await leftOver(claim, flow, sources)
      if (left?.event === null)
        return notMade('overtaken', `overtaken: delivery ${left.by}, of a later event, has been made`)
      const withdrawn = await withdrawnSince(claim, flow, left?.event ?? event, sources, now)
      if (withdrawn?.event === null)
        return notMade('overtaken', `overtaken: event ${withdrawn.by} says that the customer has withdrawn it since`)
      const isOver = claim.overtaken !== null && !(await isOfAnother(claim, sources))
      const past = isOver && !(await holdsAllTheSame(claim, flow, sources, signal))
      // A call that may have gone out is looked for, where that can be done.
      const mayLook = delivery.open && whenUnknown(flow, destination.ports) === 'find'
      if (past && !mayLook) return notMade('overtaken', `overtaken: event ${claim.overtaken} says that it is past that`)
      const { known, kept } = await learn(claim, flow, destination, sources, signal)
      const call = callOf(known, withdrawn?.event ?? left?.event)
      const said = { isSent: known.isSent, now }
      const over = call && !past ? await bearOut(claim, flow, sources.orders, said, signal) : null
      if (over !== null && !mayLook) return notMade('overtaken', `overtaken: ${over}`)
      const ready = made(claim, call, destination, kept, past || over !== null)
      return 'call' in ready ? { ...ready, without: partSaid(left, withdrawn) } : ready
    })
  } catch (error) {
    return outcomeOf(error)
  }
}

/** The part of an event that is not said again, for people; null: all of it is. */
function partSaid(left: LeftOver | null, withdrawn: Withdrawn | null): string | null {
  const parts = [
    left && `what delivery ${left.by}, of a later event, has said anew`,
    withdrawn && `what the customer has withdrawn since, by event ${withdrawn.by}`,
  ].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(', and ')
}

/** Throws a HeldError where the platform cannot tell which of two words that contradict each other is so. */
async function holdsAllTheSame(claim: Claim, flow: Flow, sources: Sources, signal: AbortSignal): Promise<boolean> {
  const { event, delivery, overtaken } = claim
  if (flow.contradiction !== undefined && delivery.released !== null) return true
  const holds = await stillHolds(claim, flow, sources, signal)
  if (holds === null && flow.contradiction !== undefined)
    throw new HeldError(`event ${overtaken} contradicts it: ${flow.contradiction(event)}`, { code: 'contradiction' })
  return holds ?? false
}

function made(
  claim: Claim,
  call: Call | null,
  { name, dryRun }: Destination,
  kept: Link[],
  onlyLook: boolean,
): Ready | Outcome {
  if (call === null) return notMade('nothing-left', 'there is nothing left to do about it')
  if (dryRun) return delivered({ note: `dry run: ${describe(call)}` }, name)
  return { claim, call, told: kept, onlyLook }
}

/** A person has had it sent to another address. */
function redirected(call: Call | null, released: Released | null): Call | null {
  if (call === null || released?.to === undefined || (call.port !== 'email' && call.port !== 'texts')) return call
  return { ...call, argument: { ...call.argument, to: released.to } } as Call
}

function notMade(code: string, why: string): Outcome {
  return { type: 'superseded', code, why }
}
