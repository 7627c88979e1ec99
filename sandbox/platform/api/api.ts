import { randomUUID } from 'node:crypto'
import { Router } from 'express'
import { Refusal } from '../refusal.ts'
import { KINDS } from '../schemas/kinds.ts'
import { STORES } from '../stores.ts'
import type { EventLog, EventRecord, Subscription } from '../webhooks/event-log.ts'
import { readEventQuery } from '../webhooks/event-query.ts'
import type { Sender } from '../webhooks/sender.ts'

/** The platform's API as far as the spec names it for stores and webhooks. */
export function createApi(log: EventLog, sender: Sender, schemaOf: (kind: string) => object | null): Router {
  const router = Router()
  router.get('/api/Stores', (_, response) => void response.json(STORES))
  router.get('/api/WebhooksTypes', (_, response) => void response.json(KINDS))
  router.get('/api/WebhooksTypes/:kind/schema', ({ params: { kind } }, response) => {
    const schema = schemaOf(kind)
    if (!schema) throw new Refusal(404, `There is no webhook type ${kind}.`)
    response.json(schema)
  })

  router.get('/api/Webhooks', (_, response) => void response.json([...log.subscriptions.values()]))
  router.post('/api/Webhooks', ({ body }, response) => {
    const id = randomUUID()
    log.subscriptions.set(id, readSubscription(body, id))
    // The answer is not shown: whoever wants the id must list.
    response.status(200).end()
  })
  router.get('/api/Webhooks/:id', ({ params: { id } }, response) => void response.json(subscription(id)))
  router.put('/api/Webhooks/:id', ({ body, params: { id } }, response) => {
    subscription(id)
    log.subscriptions.set(id, readSubscription(body, id))
    response.status(200).end()
  })
  router.delete('/api/Webhooks/:id', ({ params: { id } }, response) => {
    subscription(id)
    log.subscriptions.delete(id)
    response.status(200).end()
  })

  router.get('/api/WebhooksEvents/:webhookId', ({ params, query }, response) => {
    const { id } = subscription(params.webhookId)
    const { from, to, success, includePayload, includeRuns } = readEventQuery(query)
    response.json(
      log.records
        .filter(({ webhookId, createdAt }) => webhookId === id && createdAt >= from && createdAt < to)
        .filter((record) => success === null || record.success === success)
        .map((record) => wireRecord(record, includePayload, includeRuns)),
    )
  })
  router.get('/api/WebhooksEvents/:webhookId/:webhookEventId', ({ params }, response) => {
    response.json(wireRecord(event(params), true, true))
  })
  router.post('/api/WebhooksEvents/:webhookId/deliver/:webhookEventId', async ({ params }, response) => {
    const record = event(params)
    await sender.again(record)
    response.json(wireRecord(record, true, false))
  })

  return router

  function subscription(id: string): Subscription {
    const found = log.subscriptions.get(id)
    if (!found) throw new Refusal(404, 'There is no such webhook.')
    return found
  }

  function event({ webhookId, webhookEventId }: { webhookId: string; webhookEventId: string }): EventRecord {
    subscription(webhookId)
    const found = log.records.find((one) => one.webhookId === webhookId && one.webhookEventId === webhookEventId)
    if (!found) throw new Refusal(404, 'There is no such event.')
    return found
  }
}

function readSubscription(body: unknown, id: string): Subscription {
  const { event, url, storeId = null } = (body ?? {}) as Record<string, unknown>
  if (typeof event !== 'string' || !KINDS.includes(event)) throw new Refusal(400, 'event must be one of WebhooksTypes.')
  if (typeof url !== 'string' || !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new Refusal(400, 'url must be an http or https URL.')
  const store = STORES.find(({ StoreId }) => StoreId === storeId)
  if (storeId !== null && !store) throw new Refusal(400, 'storeId must be the id of a store.')
  return { id, event, url, storeId: store?.StoreId ?? null }
}

function wireRecord(record: EventRecord, withPayload: boolean, withRuns: boolean) {
  const { webhookId, webhookEventId, createdAt, updatedAt, status, statusCode, success, runs, payload } = record
  return {
    webhookId,
    webhookEventId,
    createdDateTime: wireTime(createdAt),
    updatedDateTime: updatedAt === null ? null : wireTime(updatedAt),
    status,
    statusCode,
    success,
    runsCounter: runs.length,
    ...(withRuns && { runs }),
    ...(withPayload && { payload }),
  }
}

/** UTC without a zone, as the platform's other datetimes. */
function wireTime(instant: number): string {
  return new Date(instant).toISOString().slice(0, -1)
}
