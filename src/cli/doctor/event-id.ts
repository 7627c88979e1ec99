import type { EventList } from '../../admin/lists.ts'
import { plainGuid } from '../../domain/queue/event.ts'
import { UserError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { counted } from '../../domain/values/text.ts'
import type { Platform, Subscription } from '../../platform/platform.ts'
import type { EventDetail, EventRow } from '../../store/screens.ts'
import type { Client } from '../shared/client.ts'
import type { Finding } from './finding.ts'

/** A webhook as the hub keeps it. */
export interface KeptWebhook {
  kind: string
  receivedAt: Instant
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
}

/** A header that named an event of the platform's log, and in how many webhooks it did. */
interface Candidate {
  name: string
  matches: number
}

const HOUR = 3_600_000
/** Enough to learn a name from; a chain may have a subscription for each store. */
const MOST_LOGS = 20

/** Compares the headers of kept webhooks with the ids in the platform's log of what it sent to this hub. */
export async function examineEventId(
  platform: Pick<Platform, 'events'>,
  ours: readonly Subscription[],
  kept: readonly KeptWebhook[],
  configured: string | undefined,
): Promise<Finding> {
  const kinds = new Set(kept.map(({ kind }) => kind))
  const times = kept.map(({ receivedAt }) => receivedAt)
  const window = { from: Math.min(...times) - HOUR, to: Math.max(...times) + HOUR }
  const ids = new Set<string>()
  if (kept.length > 0)
    for (const { id } of ours.filter(({ event }) => kinds.has(event)).slice(0, MOST_LOGS))
      for (const { webhookEventId } of (await platform.events.list({ webhookId: id, ...window })).rows)
        ids.add(plainGuid(webhookEventId) ?? '')
  ids.delete('')
  return judgeEventId(kept, ids, configured)
}

/** Headers that carry an id of the log, the one with most matches first. Pure. */
function candidatesOf(kept: readonly KeptWebhook[], ids: ReadonlySet<string>): Candidate[] {
  const matches = new Map<string, number>()
  for (const { headers } of kept)
    for (const [name, value] of Object.entries(headers))
      if (ids.has(plainGuid(value) ?? '')) matches.set(name, (matches.get(name) ?? 0) + 1)
  return [...matches].map(([name, count]) => ({ name, matches: count })).sort((a, b) => b.matches - a.matches)
}

/** How many have the value of another one. */
function repeatsOf(values: readonly string[]): number {
  return [...Map.groupBy(values, (value) => value).values()].reduce((sum, same) => sum + same.length - 1, 0)
}

/** The finding of the comparison on `platform.webhooks.eventIdHeader`. `ids` are plain GUIDs. Pure. */
export function judgeEventId(
  kept: readonly KeptWebhook[],
  ids: ReadonlySet<string>,
  configured: string | undefined,
): Finding {
  const found = candidatesOf(kept, ids)
  const [best] = found
  const compared = `${counted(kept.length, 'kept webhook')} and ${counted(ids.size, 'event')} of the platform's log`
  if (kept.length === 0) return note('The hub has kept no webhook, or none lately. Look again when some have come.')
  const repeated = configured === undefined ? 0 : repeatsOf(kept.flatMap(({ headers }) => headers[configured] ?? []))
  // Copies are not kept, so each of these is an event of its own.
  if (repeated > 0)
    return {
      check: 'event id',
      state: 'problem',
      says: `${configured} does not tell events apart: ${counted(repeated, 'kept webhook')} of ${kept.length} came with the value of another one.`,
      todo: `${best && best.name !== configured ? `set platform.webhooks.eventIdHeader: ${best.name}` : 'take platform.webhooks.eventIdHeader out of the config'}. Nothing was lost: each of them was taken.`,
    }
  const own = found.find(({ name }) => name === configured)
  if (configured !== undefined && own)
    return {
      check: 'event id',
      state: 'ok',
      says: `${configured} names the event in ${own.matches} of ${counted(kept.length, 'kept webhook')}.`,
    }
  if (best) {
    const instead = configured === undefined ? '' : `, not ${configured}`
    return {
      check: 'event id',
      state: 'problem',
      says: `The platform names the event in the header ${found.map(({ name }) => name).join(' or ')}${instead} (${compared}).`,
      todo: `set platform.webhooks.eventIdHeader: ${best.name} in the config, so that copies are told by it.`,
    }
  }
  if (configured !== undefined && kept.every(({ headers }) => headers[configured] === undefined))
    return {
      check: 'event id',
      state: 'problem',
      says: `No kept webhook has the header ${configured} (${compared}).`,
      todo: 'take platform.webhooks.eventIdHeader out of the config, or correct it.',
    }
  const guids = [...new Set(kept.flatMap(({ headers }) => guidHeaders(headers)))]
  const seen = guids.length > 0 ? ` Headers with a GUID: ${guids.join(', ')}.` : ''
  return note(`No header names an event of the platform's log (${compared}).${seen}`)
}

function note(says: string): Finding {
  return { check: 'event id', state: 'note', says }
}

function guidHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.keys(headers).filter((name) => plainGuid(headers[name] ?? '') !== null)
}

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
