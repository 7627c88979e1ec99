import { PLATFORM } from '../../domain/queue/event.ts'
import type { Inbox } from '../../inbox/accept.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'

export interface AcceptOptions {
  inbox: Pick<Inbox, 'accept'>
  clock: Pick<Clock, 'now'>
  logger: Logger
}

/** The parts of an event that a job has. `transportKey`: the platform's own name of it; null: it was pulled. */
interface Payload {
  kind: string
  subscription: string | null
  transportKey: string | null
  payload: unknown
}

/** Hands the inbox what a job has read of the platform, as if the webhook had arrived; a conflict is logged. */
export async function acceptPayload({ inbox, clock, logger }: AcceptOptions, { payload, ...event }: Payload) {
  const accepted = await inbox.accept({
    ...event,
    origin: PLATFORM,
    receivedAt: clock.now(),
    headers: {},
    ...written(payload),
  })
  if (accepted.status === 'conflict') logger.error({ kind: event.kind, event: accepted.id }, 'event.conflict')
  return accepted
}

/** What is nested too deep for JSON to be written again is kept for a person with the fields that are not: those beside it go on. */
function written(payload: unknown): { body: Buffer; unreadable: string | null } {
  try {
    return { body: Buffer.from(JSON.stringify(payload)), unreadable: null }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const flat = Object.entries(Object(payload)).filter(([, value]) => typeof value !== 'object')
    return {
      body: Buffer.from(JSON.stringify(Object.fromEntries(flat))),
      unreadable: 'it is nested too deep; only its outermost fields are kept',
    }
  }
}
