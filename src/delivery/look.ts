import type { Effect, Ports } from '../adapters/adapter.ts'
import { finderOf, type Performed, perform } from '../adapters/perform.ts'
import { FIND_FAILED, type WhenUnknown } from '../domain/delivery.ts'
import { UnknownOutcomeError } from '../domain/errors.ts'
import { nobodyGotThrough, outcomeOf } from '../domain/outcome.ts'
import type { Flow } from '../flows/flow.ts'

/** What is done when a call of this flow to this destination may have had its effect and nobody knows. */
export function whenUnknown(flow: Flow, ports: Ports): WhenUnknown {
  if (!flow.once) return 'repeat'
  if (!flow.noFind && finderOf(ports, flow.port)) return 'find'
  return flow.onUnknown === 'repeat' ? 'repeat' : 'hold'
}

/** Calls only for those of which the destination does not say that an earlier, uncertain call had its effect. */
export async function lookAndPerform(ports: Ports, together: readonly Performed[]): Promise<(Effect | Error)[]> {
  const results = new Map<Performed, Effect | Error>()
  for (const one of together.filter(isUncertain)) {
    const found = await look(ports, one)
    if (found) results.set(one, found)
  }
  const missing = together.filter((one) => !results.has(one))
  if (missing.some(isUncertain)) refuseLate(missing)
  const performed = await perform(ports, missing)
  missing.forEach((one, index) => {
    results.set(one, performed[index] as Effect | Error)
  })
  return together.map((one) => results.get(one) as Effect | Error)
}

function isUncertain({ attempt }: Performed): boolean {
  return attempt.previous === 'open'
}

/** Asks the destination whether an uncertain effect is there. A look that fails leaves it uncertain. */
async function look(ports: Ports, { call, attempt }: Performed): Promise<Effect | null> {
  try {
    const find = finderOf(ports, call.port)
    const effect = find ? await find(attempt, call) : null
    return effect && { ...effect, note: `found there: ${effect.note ?? 'it had happened'}` }
  } catch (error) {
    const outcome = outcomeOf(error)
    if (nobodyGotThrough(outcome)) throw error
    const why = outcome.type === 'delivered' ? '' : outcome.why
    throw new UnknownOutcomeError(`looking for the effect of an earlier try failed: ${why}`, {
      code: FIND_FAILED,
      cause: error,
    })
  }
}

/** The attempt may have been left behind while it looked, and another one begun. */
function refuseLate(missing: readonly Performed[]): void {
  if (missing.some(({ attempt }) => attempt.signal.aborted))
    throw new UnknownOutcomeError('No time was left for the call.')
}
