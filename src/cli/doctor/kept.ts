import { UserError } from '../../domain/values/errors.ts'
import type { EventDetail, EventRow } from '../../store/screens.ts'
import type { Client } from '../shared/client.ts'
import type { KeptWebhook } from './event-id.ts'
import type { Finding } from './finding.ts'

/** The number of newest events that are looked at closely. */
const LOOKED_AT = 20

/** The newest webhooks that a running hub keeps; or the finding that says why they cannot be had. */
export async function keptWebhooks(hub: Pick<Client, 'get'>): Promise<KeptWebhook[] | Finding> {
  try {
    const { events } = await hub.get<{ events: EventRow[] }>('/admin/events', { limit: 200 })
    const webhooks = events.filter(({ origin }) => origin === 'platform').slice(0, LOOKED_AT)
    const kept: KeptWebhook[] = []
    for (const { id } of webhooks) {
      const { kind, receivedAt, headers } = await hub.get<Pick<EventDetail, keyof KeptWebhook>>(`/admin/events/${id}`)
      kept.push({ kind, receivedAt, headers })
    }
    return kept
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    // No hub: whoever sets it up has not come to it yet. A hub that refuses the question: the token is wrong.
    const state = error.cause ? 'note' : 'problem'
    const says = `The header that names the event is learnt from webhooks that the hub keeps. ${error.message}`
    return { check: 'event id', state, says, todo: 'look again when the hub works and webhooks have come.' }
  }
}
