import type { Attempt, Call, Effect } from '../adapters/adapter.ts'
import { type Performed, perform } from '../adapters/perform.ts'
import { RefusedTogetherError } from '../domain/errors.ts'
import { deliveryKey } from '../domain/event.ts'
import { outcomeOf } from '../domain/outcome.ts'
import type { Flow } from '../flows/flow.ts'
import type { Claim, Store } from '../store/store.ts'
import type { Destination } from './destination.ts'
import type { Ended } from './halving.ts'
import { look, refuseLate, whenUnknown } from './look.ts'
import { type Limits, within } from './within.ts'
import { delivered } from './word.ts'

/** A claim that a call is to be made for. */
export interface Ready {
  claim: Claim
  call: Call
}

export interface CallTools extends Omit<Limits, 'timeout'> {
  links: Store['links']
}

/** Makes one call for all of them, in the time of one. Never rejects. */
export async function callFor(
  items: readonly Ready[],
  flow: Flow,
  { name, ports, lane }: Destination,
  { clock, underWay, links }: CallTools,
): Promise<Ended[]> {
  const looks = whenUnknown(flow, ports) === 'find'
  const fence = items[0]?.claim.fence ?? 0
  try {
    const results = await within({ clock, underWay, timeout: lane.timeout }, fence, async (signal) => {
      const performed = items.map(({ claim, call }): Performed => ({ call, attempt: attemptOf(claim, signal) }))
      return await lookAndPerform(performed, (one) => looks && one.attempt.previous === 'open')
    })
    return items.map((_, index) => endOf(results[index]))
  } catch (error) {
    const end = { outcome: outcomeOf(error), together: error instanceof RefusedTogetherError }
    return items.map(() => end)
  }

  function attemptOf({ delivery, event }: Claim, signal: AbortSignal): Attempt {
    return {
      key: deliveryKey(event, flow.name, delivery.part),
      previous: delivery.open ? 'open' : delivery.tries > 0 ? 'failed' : 'none',
      firstTriedAt: delivery.firstTriedAt,
      signal,
      links: (kind, ids) => links(name, kind, ids),
    }
  }

  /** Calls only for those of which the destination does not say that an earlier call had its effect. */
  async function lookAndPerform(all: Performed[], isUncertain: (one: Performed) => boolean): Promise<unknown[]> {
    const results = new Map<Performed, Effect | Error>()
    for (const one of all.filter(isUncertain)) {
      const found = await look(ports, one)
      if (found) results.set(one, found)
    }
    const [first, ...others] = all.filter((one) => !results.has(one))
    if (first) {
      if (isUncertain(first)) refuseLate(first.attempt)
      const performed = await perform(ports, [first, ...others])
      for (const [index, one] of [first, ...others].entries()) {
        const result = performed[index]
        if (result) results.set(one, result)
      }
    }
    return all.map((one) => results.get(one))
  }

  function endOf(result: unknown): Ended {
    if (result instanceof Error) return { outcome: outcomeOf(result), together: result instanceof RefusedTogetherError }
    try {
      return { outcome: delivered(result as Effect, name), together: false }
    } catch (error) {
      return { outcome: outcomeOf(error), together: false }
    }
  }
}
