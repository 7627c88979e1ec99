import type { Attempt, Call, Effect } from '../adapters/adapter.ts'
import { perform } from '../adapters/perform.ts'
import { RefusedTogetherError } from '../domain/errors.ts'
import { deliveryKey } from '../domain/event.ts'
import { outcomeOf } from '../domain/outcome.ts'
import type { Flow } from '../flows/flow.ts'
import type { Claim, Store } from '../store/store.ts'
import type { Destination } from './destination.ts'
import type { Ended } from './halving.ts'
import { lookAndPerform, whenUnknown } from './look.ts'
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
  const looks = whenUnknown(flow, ports) === 'find' && items.some(({ claim }) => claim.delivery.open)
  const fence = items[0]?.claim.fence ?? 0
  try {
    const results = await within({ clock, underWay, timeout: lane.timeout }, fence, (signal) => {
      const together = items.map(({ claim, call }) => ({ call, attempt: attemptOf(claim, signal) }))
      return looks ? lookAndPerform(ports, together) : perform(ports, together)
    })
    return results.map((result) => endOf(result, name))
  } catch (error) {
    const end = failed(error)
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
}

function endOf(result: Effect | Error, destination: string): Ended {
  if (result instanceof Error) return failed(result)
  try {
    return { outcome: delivered(result, destination), together: false }
  } catch (error) {
    return failed(error)
  }
}

function failed(error: unknown): Ended {
  return { outcome: outcomeOf(error), together: error instanceof RefusedTogetherError }
}
