import { STATUS_CODES } from 'node:http'
import { transportKeyOf } from '../../../domain/queue/event.ts'
import { isNoEndpoint, PermanentError } from '../../../domain/values/errors.ts'
import { field, flag, idText, text } from '../../../domain/values/field.ts'
import { formatInstant, type Instant } from '../../../domain/values/instant.ts'
import { toInstant } from '../../../domain/values/store-time.ts'
import { fieldsInSchema, type SchemaField } from '../../../payloads/schema/payload-schema.ts'
import { type Client, queryList } from '../../http/client.ts'
import {
  isRecord,
  kindOfValue,
  type Listed,
  listOf,
  opened,
  orNone,
  readList,
  readManyListed,
  readRows,
  UnexpectedAnswer,
  type WireRecord,
  whole,
} from '../../http/read.ts'
import { must, shape } from '../../http/shape.ts'
import { isNoneId, NUMBER_OR_GUID } from '../../http/written.ts'

/** Names under which programs answer the id of what was made. */
const ID_NAMES = ['id', 'webhookId', 'subscriptionId', 'webhookSubscriptionId', 'guid', 'uuid'] as const

/** A webhook subscription of anybody's. */
export const subscriptionShape = shape({
  id: must(idText, ...ID_NAMES),
  /** The kind. */
  event: must(text),
  /** The address that it sends to; it may hold a token. */
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

    /** Gives the id of what was made; null: the answer, whose shape is not shown, says none. */
    async create(
      { event, url, storeId }: { event: string; url: string; storeId?: string },
      signal?: AbortSignal,
    ): Promise<string | null> {
      const call = { body: written({ event, url, storeId }), secrets: secretsIn(url), signal }
      return idOfCreated(await client.write('webhooks.create', call))
    },

    async update({ id, event, url, storeId }: Subscription, signal?: AbortSignal): Promise<void> {
      // The whole record is replaced: a limit to one store goes only where it is said to be none.
      const body = { id, storeId: null, ...written({ event, url, storeId }) }
      await client.write('webhooks.update', { path: { webhookId: id }, body, secrets: secretsIn(url), signal })
    },

    async delete(id: string, signal?: AbortSignal): Promise<void> {
      await client.write('webhooks.delete', { path: { webhookId: id }, signal })
    },

    /** Names of the kinds that can be subscribed to. */
    async types(signal?: AbortSignal): Promise<Listed<string>> {
      const listed = await client.read('webhooks.types', { signal }, (answer) => readRows(listOf(answer), readKindName))
      client.aside('webhooks.types', '', listed.aside)
      return listed
    },

    schema: (kind: string, signal?: AbortSignal) =>
      client.read('webhooks.schema', { path: { webhookType: kind }, signal }, opened),
  }
}

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

/** A record of the platform's event log (spec, "Webhook event record"). */
export const eventShape = shape({
  webhookId: must(idText),
  /** The id by which its webhook names it, too. */
  webhookEventId: (record: unknown) => {
    const written = must(idText, 'webhookEventId')(record)
    return transportKeyOf(written) ?? written
  },
  /** When it arose. The zone that the log is written in is not shown; UTC is taken (docs/platform-unknowns.md). */
  createdAt: Object.assign(readCreated, { names: ['createdDateTime'] }),
  status: text,
  statusCode: whole,
  success: (record: unknown) =>
    flag(record, 'success') ?? isGoodStatus(whole(record, 'statusCode') ?? text(record, 'status')),
  runsCounter: whole,
})

export interface EventRecord extends ReturnType<typeof eventShape> {
  /** The event's payload, where it was asked for; undefined: not in the answer. */
  payload?: unknown
  record?: WireRecord
}

export interface LogAnswer extends Listed<EventRecord> {
  /** The records of the answer, those among them that were not asked for: not every dialect can ask for what failed alone. */
  answered: number
}

export interface EventQuery {
  webhookId: string
  /**
   * From and to, both included. The dialect decides how fine (days, or tenths of seconds), and asks for more on both sides,
   * since the platform's zone is not known: records outside may come back.
   */
  from: Instant
  to: Instant
  success?: boolean
  includePayload?: boolean
  includeRuns?: boolean
  /** Proof that the log reads `from` and `to` by the clock that it writes its records by: nothing more is asked for. */
  sameClock?: boolean
}

type EventName = Pick<EventRecord, 'webhookId' | 'webhookEventId'>

export type Events = ReturnType<typeof createEvents>

export function createEvents(client: Client) {
  return {
    async list(query: EventQuery, signal?: AbortSignal): Promise<LogAnswer> {
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

    /** One event with its payload; null where the log does not have it. Not in the spec. */
    async get({ webhookId, webhookEventId }: EventName, signal?: AbortSignal): Promise<EventRecord | null> {
      const asked = client.read('events.get', { path: { webhookId, webhookEventId }, signal }, (answer) =>
        readList(answer, 'event', readEvent),
      )
      const found = await orNone(asked, [])
      const id = transportKeyOf(webhookEventId)
      return found.find((record) => record.webhookEventId === id) ?? null
    },

    /** ResendWebhookEvent: the platform sends the event again to the subscription's URL. */
    async resend({ webhookId, webhookEventId }: EventName, signal?: AbortSignal): Promise<void> {
      await client.write('events.resend', { path: { webhookId, webhookEventId }, signal })
    },
  }
}

/** Not every dialect can ask for it, and a parameter that the platform does not know is ignored in silence. */
function isWanted(record: EventRecord, { success }: EventQuery): boolean {
  return success === undefined || record.success === success
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
