import type { EventList } from '../../admin/lists.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { EventDetail, EventRow } from '../../store/screens.ts'
import type { Client } from '../shared/client.ts'
import type { KeptWebhook } from './event-id.ts'
import type { Finding } from './finding.ts'

/** The number of newest events that are looked at closely. */
const LOOKED_AT = 20

/** Where webhooks are that rare, so many looks are enough, each at a hundred thousand events. */
const MOST_LOOKS = 10

/** The newest webhooks that a running hub keeps; or the finding that says why they cannot be had. */
export async function keptWebhooks(hub: Pick<Client, 'get'>): Promise<KeptWebhook[] | Finding> {
  try {
    const kept: KeptWebhook[] = []
    for (const { id } of await newestOf(hub)) {
      const { kind, receivedAt, headers } = await hub.get<Pick<EventDetail, keyof KeptWebhook>>(`/admin/events/${id}`)
      kept.push({ kind, receivedAt, headers })
    }
    return kept
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    // No hub: whoever sets it up has not come to it yet, and why is a finding of its own. A hub that refuses the question: the token is wrong.
    const state = error.cause ? 'note' : 'problem'
    const says = `The header that names the event is learnt from webhooks that the hub keeps.${error.cause ? '' : ` ${error.message}`}`
    return { check: 'event id', state, says, todo: 'look again when the hub works and webhooks have come.' }
  }
}

/** The hub tells itself of many things, pulls others and is handed more: it leaves all of these out. */
async function newestOf(hub: Pick<Client, 'get'>): Promise<EventRow[]> {
  const webhooks: EventRow[] = []
  let before: number | null | undefined
  for (let looks = 0; looks < MOST_LOOKS && before !== null && webhooks.length < LOOKED_AT; looks += 1) {
    const asked = { webhooks: true, limit: LOOKED_AT - webhooks.length, before }
    const page = await hub.get<Pick<EventList, 'events' | 'before'>>('/admin/events', asked)
    webhooks.push(...page.events)
    before = page.before
  }
  return webhooks
}
