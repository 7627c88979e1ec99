import { HELD_AT, ISOLATED_AT } from '../domain/queue/crashes.ts'
import type { Outcome } from '../domain/queue/outcome.ts'
import type { EventLoop } from '../lib/event-loop.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import type { Claim, ClaimedDelivery } from '../store/claim.ts'
import type { Store } from '../store/store.ts'
import { LEFT, moreTelling, type Tried } from './calling/attempt.ts'

/*
 * Poison messages. The storage counts how often a delivery was in flight when the process died or stalled (`crashes`). Innocent ones that
 * were in flight beside it are cleared by their next outcome.
 */

const POISON_MESSAGE = 'poison-message'

/** How the claims of one call ended, and over which of them the event loop stalled. */
interface Isolated extends Tried {
  /** Their ids. */
  stalled: ReadonlySet<number>
}

interface Options {
  eventLoop: Pick<EventLoop, 'hasStalledSince'>
  isRunning: () => boolean
  markIsolated: Store['markIsolated']
}

/**
 * Runs the claims of one call: those that were in flight at crashes before each alone, one at a time in the whole hub, so that the
 * next crash tells which one it is; what was at the last of them is held, and not tried.
 */
export function createIsolation({ eventLoop, isRunning, markIsolated }: Options) {
  const sequential = createSemaphore(1)
  /** The one that ran isolated before, if it did no harm: its outcome may not be on the disk yet. */
  let harmlessBefore: number | null = null

  return async (claims: readonly Claim[], work: (claims: readonly Claim[]) => Promise<Tried>): Promise<Isolated> => {
    const outcomes = new Map<Claim, Outcome>()
    const stalled = new Set<number>()
    let told: Outcome | null = null
    let calls = 0
    const toldApart = new Set<number>()
    const run = async (these: readonly Claim[]) => {
      const at = performance.now()
      const tried = await work(these)
      for (const [place, claim] of these.entries()) outcomes.set(claim, tried.outcomes[place] ?? LEFT)
      if (eventLoop.hasStalledSince(at)) for (const { delivery } of these) stalled.add(delivery.id)
      if (tried.told) told = moreTelling(told, tried.told)
      calls += tried.calls
      for (const id of tried.toldApart) toldApart.add(id)
    }
    const { harmless = [], suspect = [], poison = [] } = Object.groupBy(claims, suspicion)
    for (const claim of poison) outcomes.set(claim, heldAsPoison(claim))
    if (harmless.length > 0) await run(harmless)
    for (const claim of suspect)
      await sequential(async () => {
        const { id } = claim.delivery
        // One that could not be marked is left: only one that runs may be counted.
        const isMarked =
          isRunning() &&
          (await markIsolated(id, harmlessBefore).then(
            () => true,
            () => false,
          ))
        if (!isMarked) return
        harmlessBefore = null
        await run([claim])
        if (!stalled.has(id)) harmlessBefore = id
      })
    return { outcomes: claims.map((claim) => outcomes.get(claim) ?? LEFT), told, calls, toldApart, stalled }
  }
}

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

/**
 * The count after an outcome. One that says nothing of the delivery (it was not sent, or its destination is away) leaves it; any other
 * clears it, but for a stall that the process outlived. Held as poison, it runs isolated when an operator lets it go, and one more crash
 * holds it again.
 */
export function crashesAfter(
  { crashes }: Pick<ClaimedDelivery, 'crashes'>,
  outcome: Outcome,
  hasStalled: boolean,
): number {
  if (outcome.type === 'held' && outcome.code === POISON_MESSAGE) return ISOLATED_AT
  const saysNothing = outcome.type === 'wait' || (outcome.type === 'retry' && outcome.scope === 'destination')
  return (saysNothing || hasStalled ? crashes : 0) + (hasStalled ? 1 : 0)
}
