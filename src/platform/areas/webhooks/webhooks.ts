import { text } from '../../../domain/values/field.ts'
import { idText } from '../../../domain/values/id.ts'
import type { Client } from '../../http/client.ts'
import {
  isRecord,
  kindOfValue,
  opened,
  requiredId,
  requiredText,
  UnexpectedAnswer,
  type WireRecord,
} from '../../http/read.ts'
import { listOf } from '../../http/read-list.ts'
import { readListed, readRows } from '../../http/read-rows.ts'
import { isNoneId, NUMBER_OR_GUID } from '../../http/written-id.ts'
import type { Platform, Subscription } from '../../platform.ts'

/** Subscriptions and kinds (spec, "Webhooks"). */
export function createWebhooks(client: Client): Platform['webhooks'] {
  return {
    async list(signal) {
      const listed = await client.read('webhooks.list', { signal }, (answer) =>
        readListed(answer, 'subscription', readSubscription),
      )
      client.aside('webhooks.list', '', listed.aside)
      return listed
    },

    async create({ event, url, storeId }, signal) {
      const call = { body: written({ event, url, storeId }), secrets: secretsIn(url), signal }
      return idOfCreated(await client.write('webhooks.create', call))
    },

    async update({ id, event, url, storeId }, signal) {
      // The whole record is replaced: a limit to one store goes only where it is said to be none.
      const body = { id, storeId: null, ...written({ event, url, storeId }) }
      await client.write('webhooks.update', { path: { webhookId: id }, body, secrets: secretsIn(url), signal })
    },

    async delete(id, signal) {
      await client.write('webhooks.delete', { path: { webhookId: id }, signal })
    },

    async types(signal) {
      const listed = await client.read('webhooks.types', { signal }, (answer) => readRows(listOf(answer), readKindName))
      client.aside('webhooks.types', '', listed.aside)
      return listed
    },

    schema: (kind, signal) => client.read('webhooks.schema', { path: { webhookType: kind }, signal }, opened),
  }
}

/** Names under which programs answer the id of what was made. */
const ID_NAMES = ['id', 'webhookId', 'subscriptionId', 'webhookSubscriptionId', 'guid', 'uuid'] as const

/**
 * The id in the answer to a new subscription, whose shape is not shown (spec, Webhooks): alone as text or number, or in a record; null:
 * there is none.
 */
function idOfCreated(answer: unknown): string | null {
  const [alone] = Array.isArray(answer) && answer.length === 1 ? answer : [answer]
  const ids = isRecord(alone) ? ID_NAMES.map((name) => text(alone, name)) : [text({ id: alone }, 'id')]
  const id = ids.find((one) => one !== null) ?? null
  // A word alone (`Ok`, `Created`) is none; a record may have an id of any form.
  const isId = id !== null && (isRecord(alone) || NUMBER_OR_GUID.test(id))
  return isId && !isNoneId(id) ? id : null
}

function readSubscription(record: WireRecord): Subscription {
  return {
    id: requiredId(record, ...ID_NAMES),
    event: requiredText(record, 'event'),
    url: requiredText(record, 'url'),
    storeId: idText(record, 'storeId'),
    record,
  }
}

/** The shape of an element is not shown: a name, or an object that holds it. */
function readKindName(value: unknown): string {
  if (typeof value === 'string' && value.trim()) return value.trim()
  const names = ['name', 'event', 'type', 'webhookType', 'eventType'].flatMap((name) => text(value, name) ?? [])
  if (isRecord(value) && names[0] !== undefined) return names[0]
  throw new UnexpectedAnswer(`is ${kindOfValue(value)} without a name`)
}

/** The platform's ids of stores are integers (spec, "Store"). */
function written({ event, url, storeId }: { event: string; url: string; storeId?: string | null | undefined }) {
  if (storeId === undefined || storeId === null) return { event, url }
  return { event, url, storeId: /^\d{1,15}$/.test(storeId) ? Number(storeId) : storeId }
}

/** A callback URL may carry a token (spec, "Webhook subscription"), and an error may say the request back. */
function secretsIn(url: string): string[] {
  const parsed = URL.parse(url)
  return parsed ? [parsed.search.slice(1), parsed.password, ...parsed.searchParams.values()] : [url]
}
