import type { Attempt, Effect, Ports } from '../adapters/adapter.ts'
import { finderOf, type Performed } from '../adapters/perform.ts'
import { FIND_FAILED, type WhenUnknown } from '../domain/delivery.ts'
import { UnknownOutcomeError } from '../domain/errors.ts'
import { outcomeOf } from '../domain/outcome.ts'
import type { Flow } from '../flows/flow.ts'

/** What is done when a call of this flow to this destination may have had its effect and nobody knows. */
export function whenUnknown(flow: Flow, ports: Ports): WhenUnknown {
  if (!flow.once) return 'repeat'
  if (!flow.noFind && finderOf(ports, flow.port)) return 'find'
  return flow.onUnknown === 'repeat' ? 'repeat' : 'hold'
}

/** Asks the destination whether an uncertain effect is there. A look that fails leaves it uncertain. */
export async function look(ports: Ports, { call, attempt }: Performed): Promise<Effect | null> {
  try {
    const find = finderOf(ports, call.port)
    const effect = find ? await find(attempt, call) : null
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

/** The attempt may have been left behind while it looked, and another one begun. */
export function refuseLate({ signal }: Pick<Attempt, 'signal'>): void {
  if (signal.aborted) throw new UnknownOutcomeError('No time was left for the call.')
}
