import { PULLED } from '../../../domain/queue/event.ts'
import { type AcceptOptions, acceptPayload } from '../../engine/accept-payload.ts'

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

/** Why gaps of this road are closed. */
export const ACCEPTED = 'accepted from the list, once'
export const TOLD = 'an event has told of it'
export const GONE = 'the list does not tell of it any more'
