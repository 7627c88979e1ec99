import { PLATFORM, PULLED } from '../../../domain/queue/event.ts'
import type { Inbox } from '../../../inbox/accept.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'

interface Options {
  inbox: Pick<Inbox, 'accept'>
  clock: Pick<Clock, 'now'>
  logger: Logger
}

/** Takes a fact as the event that it would have been. `why`: it is not taken, and why. */
export type AcceptFact = (kind: string, payload: object) => Promise<{ reason: string } | { why: string }>

/** Takes facts of lists: under the same identity as what is pushed, so that whichever comes later is a duplicate. */
export function createAcceptFact({ inbox, clock, logger }: Options): AcceptFact {
  return async (kind, payload) => {
    const { status, id } = await inbox.accept({
      kind,
      origin: PLATFORM,
      subscription: PULLED,
      receivedAt: clock.now(),
      headers: {},
      body: Buffer.from(JSON.stringify(payload)),
      transportKey: null,
      unreadable: null,
    })
    if (status === 'duplicate') return { reason: TOLD }
    if (status === 'accepted') return { reason: ACCEPTED }
    if (status === 'conflict') logger.error({ kind, event: id }, 'event.conflict')
    return { why: `event ${id} is ${status === 'conflict' ? 'in conflict with another' : 'in quarantine'}` }
  }
}

/** Why gaps of this road are closed. */
export const ACCEPTED = 'accepted from the list, once'
export const TOLD = 'an event has told of it'
export const GONE = 'the list does not tell of it any more'
