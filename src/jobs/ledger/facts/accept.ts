import type { GapChange, KeptGap, SeenGap } from '../../../domain/ledger/gap.ts'
import { PULLED } from '../../../domain/queue/event.ts'
import { type AcceptOptions, acceptPayload } from '../../pulls/handover.ts'

/** Takes a fact as the event that it would have been. `why`: it is not taken, and why. */
export type AcceptFact = (kind: string, payload: object) => Promise<{ reason: string } | { why: string }>

/** Takes facts of lists: under the same identity as what is pushed, so that whichever comes later is a duplicate. */
export function createAcceptFact(options: AcceptOptions): AcceptFact {
  return async (kind, payload) => {
    const { status, id } = await acceptPayload(options, { kind, subscription: PULLED, transportKey: null, payload })
    if (status === 'duplicate') return { reason: TOLD }
    if (status === 'accepted') return { reason: ACCEPTED }
    return { why: `event ${id} is ${status === 'conflict' ? 'in conflict with another' : 'in quarantine'}` }
  }
}

/** Takes a fact that a gap is open for. The change of the gap: it is mended, or stays open and says why. */
export async function acceptOrKeep(
  { key }: Pick<KeptGap, 'key'>,
  seen: SeenGap & { kind: string },
  payload: object,
  accept: AcceptFact,
): Promise<GapChange> {
  const done = await accept(seen.kind, payload)
  if ('reason' in done) return { type: 'mend', key, reason: done.reason }
  return { type: 'see', gap: { ...seen, evidence: { facts: { ...seen.evidence.facts, why: done.why } } } }
}

/** Why gaps of this road are closed. */
export const ACCEPTED = 'accepted from the list, once'
export const TOLD = 'an event has told of it'
export const GONE = 'the list does not tell of it any more'
export const READ = 'the list was read, and has what it should have'
