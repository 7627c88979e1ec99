import type { Link } from '../domain/orders/link.ts'
import { partOf } from '../domain/queue/delivery.ts'
import { type Outcome, outcomeOf } from '../domain/queue/outcome.ts'
import { PermanentError } from '../domain/values/errors.ts'
import { EMPTY_CONTEXT, type Flow, type Guarded, hasGuard } from '../flows/flow.ts'
import { stillTrue } from '../flows/guards.ts'
import type { Sources } from '../flows/sources.ts'
import type { Call } from '../ports/ports.ts'
import type { Claim, Released } from '../storage/claim.ts'
import { delivered, describe, type Limits, type Ready, withTimeout } from './call.ts'
import type { Destination } from './destination.ts'
import { whenUnknown } from './look.ts'

/** What is asked before a call: the guards of its flow, in order. */
export async function prepare(
  claim: Claim,
  flow: Flow,
  destination: Destination,
  sources: Sources,
  limits: Limits,
): Promise<Ready | Outcome> {
  const { delivery, event, unchanged, stale, invalidated } = claim
  const { name, ports, channels, accounts, dryRun } = destination
  const { released } = delivery
  const way = whenUnknown(flow, ports)
  if (unchanged) return notMade('unchanged', `unchanged: ${name} has acknowledged the same`)
  if (stale) return notMade('stale', `stale: ${name} has acknowledged a newer one`)
  if (delivery.open && way === 'hold')
    return {
      type: 'unknown',
      code: 'uncertain',
      why: 'an earlier try may have had its effect, and nobody can look it up',
    }
  const mayLook = delivery.open && way === 'find'
  const part = partOf(delivery.part)
  const step: Guarded = {
    ...{ delivery, part, event, invalidated, onlyLook: false, now: limits.clock.now() },
    ...(claim.unacknowledged && { unacknowledged: true }),
    known: { ...EMPTY_CONTEXT, channels, accounts, released, storeOf: sources.storeOf },
    call: () => flow.call(step.event, { part }, step.known),
  }
  const kept: Link[] = []
  const without: string[] = []

  async function guarded(signal: AbortSignal): Promise<Outcome | null> {
    for (const { check } of guards) {
      const verdict = check ? await check(step, sources, signal) : null
      if (verdict === null) continue
      if ('superseded' in verdict) {
        if (!verdict.mayLook || !mayLook) return notMade(verdict.code, verdict.superseded)
        step.onlyLook = true
      } else if ('known' in verdict) {
        step.known = { ...step.known, ...verdict.known }
        kept.push(...(verdict.kept ?? []))
      } else {
        step.event = verdict.event
        without.push(verdict.without)
      }
    }
    return null
  }

  // A step with a fact against it never goes out unasked.
  const isAsked = invalidated === null || hasGuard(flow, 'stillTrue')
  const guards = [...(flow.guards ?? []), ...(isAsked ? [] : [stillTrue()])]
  try {
    if (event.body.byteLength === 0)
      throw new PermanentError('The payload is not kept any more.', { code: 'payload-gone' })
    const ended = guards.length === 0 ? null : await withTimeout(limits, claim.fence, guarded)
    if (ended !== null) return ended
    const call = redirected(step.call(), released)
    if (call === null) return notMade('nothing-left', 'there is nothing left to do about it')
    if (dryRun) return delivered({ note: `dry run: ${describe(call)}` }, name)
    return { claim, call, kept, onlyLook: step.onlyLook, without: without.join(', and ') || null }
  } catch (error) {
    return outcomeOf(error)
  }
}

function redirected(call: Call | null, released: Released | null): Call | null {
  if (call === null || released?.to === undefined || (call.port !== 'email' && call.port !== 'texts')) return call
  return { ...call, argument: { ...call.argument, to: released.to } } as Call
}

function notMade(code: string, why: string): Outcome {
  return { type: 'superseded', code, why }
}
