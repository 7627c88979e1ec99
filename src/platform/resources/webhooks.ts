import { transportKeyOf } from '../../domain/queue/event.ts'
import { isNoEndpoint, PermanentError } from '../../domain/values/errors.ts'
import { field, flag, idText, text } from '../../domain/values/field.ts'
import { formatInstant, type Instant } from '../../domain/values/instant.ts'
import { toInstant } from '../../domain/values/store-time.ts'
import { type Client, queryList } from '../http/client.ts'
import {
  isRecord,
  kindOfValue,
  type Listed,
  listOf,
  opened,
  orNone,
  readList,
  readListed,
  readRows,
  UnexpectedAnswer,
  type WireRecord,
  whole,
} from '../http/read.ts'
import { isNoneId, must, NUMBER_OR_GUID, shape } from '../http/shape.ts'
import { fieldsInSchema, type SchemaField } from '../payloads/schema/match.ts'

const ID_NAMES = ['id', 'webhookId', 'subscriptionId', 'webhookSubscriptionId', 'guid', 'uuid'] as const

export const subscriptionShape = shape({
  id: must(idText, ...ID_NAMES),
  event: must(text),
  /** May hold a token. */
  url: must(text),
  storeId: idText,
})

export type Subscription = ReturnType<typeof subscriptionShape> & { record?: WireRecord }

export type Webhooks = ReturnType<typeof createWebhooks>

export function createWebhooks(client: Client) {
  return {
    list: (signal?: AbortSignal): Promise<Listed<Subscription>> =>
      queryList(client, 'webhooks.list', {
        call: { signal },
        what: 'subscription',
        read: (record) => ({ ...subscriptionShape(record), record }),
      }),

    /** Null: the answer, which is undocumented, has no id. */
    async create(
      { event, url, storeId }: { event: string; url: string; storeId?: string },
      signal?: AbortSignal,
    ): Promise<string | null> {
      const call = { body: written({ event, url, storeId }), secrets: secretsIn(url), signal }
      return idOfCreated(await client.write('webhooks.create', call))
    },

    async update({ id, event, url, storeId }: Subscription, signal?: AbortSignal): Promise<void> {
      // Replaces the whole record: a store is dropped only as null.
      const body = { id, storeId: null, ...written({ event, url, storeId }) }
      await client.write('webhooks.update', { path: { webhookId: id }, body, secrets: secretsIn(url), signal })
    },

    async delete(id: string, signal?: AbortSignal): Promise<void> {
      await client.write('webhooks.delete', { path: { webhookId: id }, signal })
    },

    async types(signal?: AbortSignal): Promise<Listed<string>> {
      const listed = await client.read('webhooks.types', { signal }, (answer) => readRows(listOf(answer), readKindName))
      client.rejected('webhooks.types', '', listed.rejected)
      return listed
    },

    schema: (kind: string, signal?: AbortSignal) =>
      client.read('webhooks.schema', { path: { webhookType: kind }, signal }, opened),
  }
}

/** In an undocumented answer (spec, Webhooks): alone or in a record. */
function idOfCreated(answer: unknown): string | null {
  const [alone] = Array.isArray(answer) && answer.length === 1 ? answer : [answer]
  const ids = isRecord(alone) ? ID_NAMES.map((name) => text(alone, name)) : [text({ id: alone }, 'id')]
  const id = ids.find((one) => one !== null) ?? null
  // A bare word (`Ok`) is no id; in a record an id has any form.
  const isId = id !== null && (isRecord(alone) || NUMBER_OR_GUID.test(id))
  return isId && !isNoneId(id) ? id : null
}

function readKindName(value: unknown): string {
  if (typeof value === 'string' && value.trim()) return value.trim()
  const names = ['name', 'event', 'type', 'webhookType', 'eventType'].flatMap((name) => text(value, name) ?? [])
  if (isRecord(value) && names[0] !== undefined) return names[0]
  throw new UnexpectedAnswer(`is ${kindOfValue(value)} without a name`)
}

function written({ event, url, storeId }: { event: string; url: string; storeId?: string | null | undefined }) {
  if (storeId === undefined || storeId === null) return { event, url }
  return { event, url, storeId: /^\d{1,15}$/.test(storeId) ? Number(storeId) : storeId }
}

/** A callback URL may carry a token (spec, "Webhook subscription"), which an error may quote. */
function secretsIn(url: string): string[] {
  const parsed = URL.parse(url)
  return parsed ? [parsed.search.slice(1), parsed.password, ...parsed.searchParams.values()] : [url]
}

/** Spec, "Webhook event record". */
export const eventShape = shape({
  webhookId: must(idText),
  webhookEventId: (record: unknown) => {
    const written = must(idText, 'webhookEventId')(record)
    return transportKeyOf(written) ?? written
  },
  /** The log's zone is not documented; UTC is assumed. */
  createdAt: Object.assign(readCreated, { names: ['createdDateTime'] }),
  status: text,
  statusCode: whole,
  success: (record: unknown) =>
    flag(record, 'success') ?? GOOD.test(text(record, 'statusCode') ?? text(record, 'status') ?? ''),
  runsCounter: whole,
})

export interface EventRecord extends ReturnType<typeof eventShape> {
  payload?: unknown
  record?: WireRecord
}

export interface LogAnswer extends Listed<EventRecord> {
  answered: number
}

export interface EventQuery {
  webhookId: string
  /** Both included; others may come. */
  from: Instant
  to: Instant
  success?: boolean
  includePayload?: boolean
  /** The log's clock is proven to be that of its records: no widening. */
  sameClock?: boolean
}

type EventName = Pick<EventRecord, 'webhookId' | 'webhookEventId'>

export function createEvents(client: Client) {
  return {
    async list(query: EventQuery, signal?: AbortSignal): Promise<LogAnswer> {
      const { webhookId, ...values } = query
      const { rows, rejected } = await client.read(
        'events.list',
        { path: { webhookId }, query: { ...values }, signal, byRow: 'list' },
        (answer) => readListed(answer, 'event', readEvent),
      )
      client.rejected('events.list', `subscription ${webhookId} from ${formatInstant(query.from)}`, rejected)
      return {
        // Not every dialect has the parameter; unknown ones are ignored.
        rows: rows.filter((record) => query.success === undefined || record.success === query.success),
        rejected,
        answered: rows.length + rejected.length,
      }
    },

    async get({ webhookId, webhookEventId }: EventName, signal?: AbortSignal): Promise<EventRecord | null> {
      const asked = client.read('events.get', { path: { webhookId, webhookEventId }, signal }, (answer) =>
        readList(answer, 'event', readEvent),
      )
      const found = await orNone(asked, [])
      const id = transportKeyOf(webhookEventId)
      return found.find((record) => record.webhookEventId === id) ?? null
    },

    async resend({ webhookId, webhookEventId }: EventName, signal?: AbortSignal): Promise<void> {
      await client.write('events.resend', { path: { webhookId, webhookEventId }, signal })
    },
  }
}

function readEvent(record: WireRecord): EventRecord {
  const payload = field(record, 'payload')
  return {
    ...eventShape(record),
    ...(payload !== undefined && payload !== null && { payload: opened(payload) }),
    record,
  }
}

function readCreated(record: unknown): Instant {
  const created = must(text, 'createdDateTime')(record)
  try {
    return toInstant(created, 'UTC')
  } catch {
    throw new UnexpectedAnswer('has a createdDateTime that is not a datetime')
  }
}

export interface ListSource {
  platform: { webhooks: Webhooks }
  isListProven(): Promise<boolean>
}

/** Null: no list (the spec shows none). */
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

/** Status 200 to 299 (spec), or its name (the public API shows `OK`). */
const GOOD = /^\s*(2\d\d\b|(ok|created|accepted|no ?content|success(ful)?|succeeded|delivered)\s*$)/i

export async function readSchema(
  { webhooks }: { webhooks: Pick<Webhooks, 'schema'> },
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
