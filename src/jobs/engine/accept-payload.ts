import { PLATFORM } from '../../domain/queue/event.ts'
import type { Inbox } from '../../inbox/accept.ts'
import type { Clock } from '../../lib/clock.ts'
import { jsonOf } from '../../lib/json-of.ts'
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
  // A copy of what is in quarantine has told nobody either.
  if (accepted.status === 'duplicate' && accepted.unread) return { status: 'quarantined' as const, id: accepted.id }
  if (accepted.status === 'conflict') logger.error({ kind: event.kind, event: accepted.id }, 'event.conflict')
  return accepted
}

/** What cannot be written is kept for a person: those beside it go on. */
function written(payload: unknown): { body: Buffer; unreadable: string | null } {
  const { text, isWhole } = jsonOf(payload)
  const unreadable = isWhole ? null : 'it is nested too deep; only its outermost fields are kept'
  return { body: Buffer.from(text), unreadable }
}
