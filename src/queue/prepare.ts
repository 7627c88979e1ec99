import type { Link } from '../domain/orders/link.ts'
import { partOf } from '../domain/queue/delivery.ts'
import { type Outcome, outcomeOf } from '../domain/queue/outcome.ts'
import { PermanentError } from '../domain/values/errors.ts'
import type { Flow, Known } from '../flows/flow.ts'
import type { Call } from '../ports/ports.ts'
import type { Claim, Released } from '../storage/claim.ts'
import { delivered, describe, type Limits, type Ready, withTimeout } from './call.ts'
import type { Destination } from './destination.ts'
import { GUARDS, verifyWithPlatform } from './guards.ts'
import { knownAtOnce, learn, mustLearn, type Sources } from './inputs.ts'
import { whenUnknown } from './look.ts'

export async function prepare(
  claim: Claim,
  flow: Flow,
  destination: Destination,
  sources: Sources,
  limits: Limits,
): Promise<Ready | Outcome> {
  const { delivery, event, unchanged, stale } = claim
  const { name, ports } = destination
  const part = partOf(delivery.part)
  const callOf = (known: Known, about = event) => redirected(flow.call(about, { part }, known), delivery.released)
  const way = whenUnknown(flow, ports)
  if (unchanged) return notMade('unchanged', `unchanged: ${name} has acknowledged the same`)
  if (stale) return notMade('stale', `stale: ${name} has acknowledged a newer one`)
  if (claim.unacknowledged && flow.onlyIfTold?.(event))
    return notMade('nothing-left', `${name} was never told of it before`)
  if (delivery.open && way === 'hold')
    return {
      type: 'unknown',
      code: 'uncertain',
      why: 'an earlier try may have had its effect, and nobody can look it up',
    }
  try {
    if (event.body.byteLength === 0)
      throw new PermanentError('The payload is not kept any more.', { code: 'payload-gone' })
    const step = { claim, flow, event, now: limits.clock.now() }
    const guards = GUARDS.filter(({ applies }) => applies(step))
    if (guards.length === 0 && !mustLearn(claim, flow))
      return made(claim, callOf(knownAtOnce(claim, destination, sources)), destination, [], false)
    return await withTimeout(limits, claim.fence, async (signal) => {
      const mayLook = delivery.open && way === 'find'
      let left = event
      let onlyLook = false
      const without: string[] = []
      for (const { check } of guards) {
        const verdict = await check({ ...step, event: left }, sources, signal)
        if (verdict === null) continue
        if ('event' in verdict) {
          left = verdict.event
          without.push(verdict.without)
          continue
        }
        if (!verdict.mayLook || !mayLook) return notMade(verdict.code, verdict.superseded)
        onlyLook = true
      }
      const { known, kept } = await learn(claim, flow, destination, sources, signal)
      const call = callOf(known, left)
      const said = { isSent: known.isSent, now: step.now }
      const over = call && !onlyLook ? await verifyWithPlatform(claim, flow, sources.orders, said, signal) : null
      if (over !== null && !mayLook) return notMade('invalidated', `invalidated: ${over}`)
      const ready = made(claim, call, destination, kept, onlyLook || over !== null)
      return 'call' in ready ? { ...ready, without: without.join(', and ') || null } : ready
    })
  } catch (error) {
    return outcomeOf(error)
  }
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
  return { claim, call, kept, onlyLook }
}

function redirected(call: Call | null, released: Released | null): Call | null {
  if (call === null || released?.to === undefined || (call.port !== 'email' && call.port !== 'texts')) return call
  return { ...call, argument: { ...call.argument, to: released.to } } as Call
}

function notMade(code: string, why: string): Outcome {
  return { type: 'superseded', code, why }
}
