import type { Arrival, Verdict } from '../store/arrival.ts'
import type { Store } from '../store/store.ts'
import type { Reader } from './reader.ts'

/** Others may complete the same event meanwhile; beyond this, one of those was as good. */
const MOST_COMPARED = 3

/**
 * Compares a copy with the first of its identity, whose other bytes nobody has acted on, and commits it again where it is
 * fuller. The store only swaps bytes: to read and compare them there would keep every other commit waiting.
 */
export function createCompleting(
  store: Pick<Store, 'event'>,
  reader: Pick<Reader, 'completes'>,
  commit: (arrival: Arrival) => Promise<Verdict>,
) {
  return async (arrival: Arrival, copy: Verdict): Promise<Verdict> => {
    let verdict = copy
    for (let compared = 0; compared < MOST_COMPARED; compared++) {
      if (verdict.status !== 'duplicate' || !verdict.comparable) return verdict
      const first = await store.event(verdict.id)
      if (!first?.body || !(await reader.completes(arrival.body, first.body))) return verdict
      verdict = await commit({ ...arrival, completes: { event: first.id, bodyHash: first.bodyHash } })
    }
    return verdict
  }
}
