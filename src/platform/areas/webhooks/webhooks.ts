import { STATUS_CODES } from 'node:http'
import { transportKeyOf } from '../../../domain/queue/event.ts'
import { isNoEndpoint, PermanentError } from '../../../domain/values/errors.ts'
import { field, flag, idText, text } from '../../../domain/values/field.ts'
import { formatInstant, type Instant } from '../../../domain/values/instant.ts'
import { toInstant } from '../../../domain/values/store-time.ts'
import { fieldsInSchema, type SchemaField } from '../../../payloads/schema/payload-schema.ts'
import type { Client } from '../../http/client.ts'
import {
  isRecord,
  kindOfValue,
  type Listed,
  listOf,
  opened,
  orNone,
  readList,
  readListed,
  readManyListed,
  readRows,
  requiredId,
  requiredText,
  UnexpectedAnswer,
  type WireRecord,
  whole,
} from '../../http/read.ts'
import { isNoneId, NUMBER_OR_GUID } from '../../http/written.ts'
import type { EventQuery, EventRecord, Platform, Subscription } from '../../platform.ts'

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

/** The platform's log of what it sent (spec, "Webhook event record"). */
export function createEvents(client: Client): Platform['events'] {
  return {
    async list(query, signal) {
      const { webhookId, ...values } = query
      const { rows, aside } = await client.read(
        'events.list',
        { path: { webhookId }, query: { ...values }, signal, byRow: 'list' },
        (answer) => readManyListed(answer, 'event', readEvent),
      )
      client.aside('events.list', `subscription ${webhookId} from ${formatInstant(query.from)}`, aside)
      return {
        rows: rows.filter((record) => isWanted(record, query)),
        aside,
        answered: rows.length + aside.length,
      }
    },

    async get({ webhookId, webhookEventId }, signal) {
      const asked = client.read('events.get', { path: { webhookId, webhookEventId }, signal }, (answer) =>
        readList(answer, 'event', readEvent),
      )
      const found = await orNone(asked, [])
      const id = transportKeyOf(webhookEventId)
      return found.find((record) => record.webhookEventId === id) ?? null
    },

    async resend({ webhookId, webhookEventId }, signal) {
      await client.write('events.resend', { path: { webhookId, webhookEventId }, signal })
    },
  }
}

/** Not every dialect can ask for it, and a parameter that the platform does not know is ignored in silence. */
function isWanted(record: EventRecord, { success }: EventQuery): boolean {
  return success === undefined || record.success === success
}

function readEvent(record: WireRecord): EventRecord {
  const statusCode = whole(record, 'statusCode')
  const status = text(record, 'status')
  const payload = field(record, 'payload')
  return {
    webhookId: requiredId(record, 'webhookId'),
    webhookEventId: idIn(record),
    createdAt: readCreated(record),
    status,
    statusCode,
    success: flag(record, 'success') ?? isGoodStatus(statusCode ?? status),
    runsCounter: whole(record, 'runsCounter'),
    ...(payload !== undefined && payload !== null && { payload: opened(payload) }),
    record,
  }
}

/** The id by which its webhook names it, too. */
function idIn(record: WireRecord): string {
  const written = requiredId(record, 'webhookEventId')
  return transportKeyOf(written) ?? written
}

/** The zone that the log is written in is not shown; UTC is taken (docs/platform-unknowns.md). */
function readCreated(record: WireRecord): Instant {
  const created = requiredText(record, 'createdDateTime')
  try {
    return toInstant(created, 'UTC')
  } catch {
    throw new UnexpectedAnswer('has a createdDateTime that is not a datetime')
  }
}

export interface ListSource {
  platform: Pick<Platform, 'webhooks'>
  /** Whether the list of subscriptions is known to be there: its 404 proves nothing else. */
  isListProven(): Promise<boolean>
}

/** The platform's list of subscriptions; null: it shows none, as far as anybody knows (spec, Webhooks: no such list is shown). */
export async function listIfThere(
  { platform, isListProven }: ListSource,
  signal?: AbortSignal,
): Promise<Listed<Subscription> | null> {
  try {
    return await platform.webhooks.list(signal)
  } catch (error) {
    if (isNoEndpoint(error) && !(await isListProven())) return null
    throw error
  }
}

/** Words that programs use for a success, besides the names of the statuses from 200 to 299. */
const OTHER_WORDS = ['success', 'successful', 'succeeded', 'delivered']

const GOOD = new Set([
  ...Object.entries(STATUS_CODES).flatMap(([code, name]) => (isGoodCode(Number(code)) ? plain(name ?? '') : [])),
  ...OTHER_WORDS,
])

/**
 * Whether a status of the event log says that the event was taken. The specification shows a status code, the public API a word,
 * `OK`, and no other: so every name and every number from 200 to 299 is good, however it is written (`No Content`, `NoContent`,
 * `202 Accepted`). Null: it says nothing, which is not good.
 */
function isGoodStatus(status: number | string | null): boolean {
  if (status === null) return false
  if (typeof status === 'number') return isGoodCode(status)
  const [, code] = /^\s*(\d{3})\b/.exec(status) ?? []
  return code === undefined ? GOOD.has(plain(status)) : isGoodCode(Number(code))
}

function isGoodCode(code: number): boolean {
  return code >= 200 && code < 300
}

/** `Non-Authoritative Information` and `NonAuthoritativeInformation` are one word. */
function plain(words: string): string {
  return words.replace(/[^A-Za-z]/g, '').toLowerCase()
}

/** The fields that the platform's schema of a kind names; null: it shows none that can be read. */
export async function readSchema(
  { webhooks }: Pick<Platform, 'webhooks'>,
  kind: string,
  signal?: AbortSignal,
): Promise<SchemaField[] | null> {
  try {
    return fieldsInSchema(await webhooks.schema(kind, signal))
  } catch (error) {
    if (error instanceof PermanentError) return null
    throw error
  }
}
