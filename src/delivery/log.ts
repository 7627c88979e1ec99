import type { Logger } from '../lib/logger.ts'
import type { Claim, ClaimResult } from '../store/claim.ts'

/** A claim and what became of it. */
interface EndedClaim {
  claim: Claim
  result: ClaimResult
}

/** Lines of their own that deliveries of one batch get at most. */
const MOST_LINES = 20

/** Writes what became of a call: one line for a delivery alone; one for a batch, and one for each that has not ended well. */
export function createAttemptLog(logger: Logger) {
  return (ended: readonly EndedClaim[], timing: { at: number; ms: number }): void => {
    const [first] = ended
    if (!first) return
    if (ended.length === 1) {
      line(first)
      return
    }
    const { flow, destination, batch } = first.claim.delivery
    const states = countsOf(ended)
    logger[levelOf(Object.keys(states))]({ flow, destination, batch, states, ...timing }, 'delivery.batch-attempted')
    for (const one of ended.filter(({ result }) => levelOf([result.next.state]) !== 'info').slice(0, MOST_LINES))
      line(one)
  }

  /** The one line of an attempt. */
  function line({ claim: { delivery, event }, result }: EndedClaim): void {
    const { id, flow, destination } = delivery
    const { state } = result.next
    const facts = { delivery: id, event: event.id, kind: event.kind, flow, destination, state, ...result.attempt }
    logger[levelOf([state])](facts, 'delivery.attempted')
  }
}

function countsOf(ended: readonly EndedClaim[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { result } of ended) counts[result.next.state] = (counts[result.next.state] ?? 0) + 1
  return counts
}

/** ERROR: somebody must act. */
function levelOf(states: readonly string[]): 'info' | 'warn' | 'error' {
  if (states.some((state) => !['delivered', 'superseded', 'waiting'].includes(state))) return 'error'
  return states.includes('waiting') ? 'warn' : 'info'
}
