import { PLATFORM } from '../../domain/queue/event.ts'
import type { Inbox } from '../../inbox/accept.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { EventRecord } from '../../platform/platform.ts'
import type { Ours } from './resend-subscription.ts'

interface Options {
  inbox: Pick<Inbox, 'accept'>
  clock: Pick<Clock, 'now'>
  logger: Logger
}

/** Takes an event from its payload in the log. A text: why it could not be read. */
export type Take = (ours: Ours, event: Pick<EventRecord, 'webhookEventId'>, payload: unknown) => Promise<string | null>

/** Takes events as if the webhook had arrived: same kind, origin and transport key. */
export function createTake({ inbox, clock, logger }: Options): Take {
  return async ({ kind, name }, { webhookEventId }, payload) => {
    const { status, id } = await inbox.accept({
      kind,
      origin: PLATFORM,
      subscription: name,
      receivedAt: clock.now(),
      headers: {},
      body: Buffer.from(JSON.stringify(payload)),
      transportKey: webhookEventId,
      unreadable: null,
    })
    if (status === 'conflict') logger.error({ kind, event: id }, 'event.conflict')
    if (status === 'quarantined') return `it cannot be read: event ${id} is in quarantine`
    return null
  }
}
