import type { EventRecord } from '../../platform/platform.ts'
import { type AcceptOptions, acceptPayload } from '../pulls/handover.ts'
import type { Ours } from './resend-subscription.ts'

/** Takes an event from its payload in the log. A text: why it could not be read. */
export type Take = (ours: Ours, event: Pick<EventRecord, 'webhookEventId'>, payload: unknown) => Promise<string | null>

/** Takes events as if the webhook had arrived: same kind, origin and transport key. */
export function createTake(options: AcceptOptions): Take {
  return async ({ kind, name }, { webhookEventId }, payload) => {
    const event = { kind, subscription: name, transportKey: webhookEventId, payload }
    const { status, id } = await acceptPayload(options, event)
    if (status === 'quarantined') return `it cannot be read: event ${id} is in quarantine`
    return null
  }
}
