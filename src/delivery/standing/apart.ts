import type { Outcome } from '../../domain/queue/outcome.ts'
import { createOneByOne } from '../../lib/one-by-one.ts'
import type { Claim } from '../../store/claim.ts'
import { LEFT, moreTelling, type Tried } from '../calling/attempt.ts'
import type { Standing } from './standing.ts'

/**
 * Carries out what was claimed for one call, apart from what the hub stood still over: that is held, not tried; and what it
 * may have stood still over is tried alone, one after the other in the whole hub, so that the next time names the one.
 */
export function createApart(standing: Standing, isRunning: () => boolean) {
  const inTurn = createOneByOne()

  function alone(claim: Claim, work: () => Promise<Tried>): Promise<Tried> {
    return inTurn(async () => {
      if (!isRunning()) return { outcomes: [LEFT], told: null, calls: 0, toldApart: new Set() }
      const { id } = claim.delivery
      standing.alone(id)
      try {
        return await work()
      } finally {
        standing.alone(null)
        if (standing.stoodFor(id) === null) standing.forget([id])
      }
    })
  }

  return async (claims: readonly Claim[], work: (claims: readonly Claim[]) => Promise<Tried>): Promise<Tried> => {
    if (standing.isQuiet()) return await work(claims)
    const outcomes = new Map<Claim, Outcome>()
    let told: Outcome | null = null
    let calls = 0
    const toldApart = new Set<number>()
    const take = (these: readonly Claim[], tried: Tried) => {
      for (const [place, claim] of these.entries()) outcomes.set(claim, tried.outcomes[place] ?? LEFT)
      if (tried.told) told = moreTelling(told, tried.told)
      calls += tried.calls
      for (const id of tried.toldApart) toldApart.add(id)
    }
    const isKnown = ({ delivery: { id } }: Claim) => standing.stoodFor(id) !== null
    const isSuspect = (claim: Claim) => !isKnown(claim) && standing.isSuspect(claim.delivery.id)
    const others = claims.filter((claim) => !isKnown(claim) && !isSuspect(claim))
    if (others.length > 0) take(others, await work(others))
    for (const claim of claims.filter(isSuspect)) take([claim], await alone(claim, () => work([claim])))
    return { outcomes: claims.map((claim) => outcomes.get(claim) ?? NOT_TRIED), told, calls, toldApart }
  }
}

/** The outcome of a delivery that the hub stood still over; one that is done, or refused for good, stays so. */
export function heldFor(ms: number, { delivery, event }: Claim, outcome: Outcome): Outcome {
  if (outcome.type === 'delivered' || outcome.type === 'superseded' || outcome.type === 'dead') return outcome
  const long = `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  const whose = `flow ${delivery.flow} to ${delivery.destination}`
  const why = `its payload kept the hub standing for ${long} (${whose}): look at it with "events show ${event.id}"; release it with "deliveries retry ${delivery.id}"`
  // An effect that may have happened stays uncertain.
  if (outcome.type === 'unknown') return { type: 'unknown', code: STOOD_STILL, byHand: true, why }
  return { type: 'held', code: STOOD_STILL, why }
}

const STOOD_STILL = 'stood-still'

const NOT_TRIED: Outcome = { type: 'held', code: STOOD_STILL, why: 'it kept the hub standing' }
