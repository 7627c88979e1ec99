import { randomUUID } from 'node:crypto'
import type { StoreRecord } from '../../src/domain/stores/store-index.ts'
import { PermanentError } from '../../src/domain/values/errors.ts'
import type { EventQuery, EventRecord, LogAnswer, Platform, Subscription } from '../../src/platform/platform.ts'
import { listed } from '../listed.ts'

interface Sent {
  url: string
  eventId: string
  payload: unknown
}

interface Given {
  kinds?: string[]
  stores?: StoreRecord[]
  /** Sends a webhook and releases the status; null: no answer. */
  send?: (sent: Sent) => Promise<number | null>
  page?: number
}

/** The platform in memory: it subscribes, sends, logs what it sent, and sends again only when it is asked to (spec, Events). */
export interface MemoryPlatform extends Pick<Platform, 'stores' | 'webhooks' | 'events'>, AsyncDisposable {
  /** Everybody's. A test puts in what was there before. */
  subscribed: Subscription[]
  /** Names of the calls that were made, with what they were about. */
  calls: string[]
  /** Throws to let a call fail; `done`: the call has been executed by then. */
  faults: { before?: (call: string) => void; after?: (call: string) => void }
  log: (EventRecord & { payload: unknown })[]
  /** Something happens in a store: each subscription of the kind is sent it once. */
  emit(kind: string, payload: unknown, at: number): Promise<void>
}

export function createMemoryPlatform({ kinds = [], stores = [], send, page = Infinity }: Given = {}): MemoryPlatform {
  const subscribed: Subscription[] = []
  const calls: string[] = []
  const log: MemoryPlatform['log'] = []
  const faults: MemoryPlatform['faults'] = {}

  async function call<T>(name: string, act: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    calls.push(name)
    faults.before?.(name)
    const result = await act()
    faults.after?.(name)
    return structuredClone(result)
  }

  async function deliver(record: MemoryPlatform['log'][number]): Promise<void> {
    const { url } = subscribed[indexOf(record.webhookId)] ?? { url: '' }
    record.statusCode = (await send?.({ url, eventId: record.webhookEventId, payload: record.payload })) ?? null
    record.success = record.statusCode !== null && record.statusCode >= 200 && record.statusCode < 300
    record.runsCounter = (record.runsCounter ?? 0) + 1
  }

  function indexOf(id: string): number {
    const index = subscribed.findIndex((one) => one.id === id)
    if (index < 0) throw new PermanentError(`there is no webhook ${id}`, { code: 'http-404' })
    return index
  }

  function matching(query: EventQuery): EventRecord[] {
    indexOf(query.webhookId)
    return log
      .filter(({ webhookId }) => webhookId === query.webhookId)
      .filter(({ createdAt }) => createdAt >= query.from && createdAt <= query.to)
      .filter(({ success }) => query.success === undefined || success === query.success)
      .slice(0, page)
      .map(({ payload, ...record }) => (query.includePayload ? { ...record, payload } : record))
  }

  function answerOf(rows: EventRecord[]): LogAnswer {
    return { ...listed(rows), answered: rows.length }
  }

  return {
    subscribed,
    calls,
    faults,
    log,
    stores: { list: (signal) => call('stores', () => listed(stores), signal) },
    webhooks: {
      list: (signal) => call('webhooks', () => listed(subscribed), signal),
      types: (signal) => call('types', () => listed(kinds), signal),
      create: ({ event, url, storeId = null }) =>
        call(`create ${event}`, () => {
          const id = randomUUID()
          subscribed.push({ id, event, url, storeId })
          return id
        }),
      update: (one) => call(`update ${one.event}`, () => void subscribed.splice(indexOf(one.id), 1, one)),
      delete: (id) => call(`delete ${id}`, () => void subscribed.splice(indexOf(id), 1)),
      schema: () => call('schema', () => ({})),
    },
    events: {
      list: (query, signal) => call('events', () => answerOf(matching(query)), signal),
      get: ({ webhookEventId }, signal) =>
        call(`event ${webhookEventId}`, () => log.find((one) => one.webhookEventId === webhookEventId) ?? null, signal),
      resend: ({ webhookEventId }, signal) =>
        call(
          `resend ${webhookEventId}`,
          async () => {
            const record = log.find((one) => one.webhookEventId === webhookEventId)
            if (!record) throw new PermanentError(`there is no event ${webhookEventId}`, { code: 'http-404' })
            await deliver(record)
          },
          signal,
        ),
    },
    async emit(kind, payload, createdAt) {
      for (const { id: webhookId } of subscribed.filter(({ event }) => event === kind)) {
        const nothing = { status: null, statusCode: null, success: false, runsCounter: null }
        const record = { webhookId, webhookEventId: randomUUID(), createdAt, ...nothing, payload }
        log.push(record)
        await deliver(record)
      }
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
