import { STATUS_CODES } from 'node:http'
import { PermanentError } from '../domain/errors.ts'
import { field, text } from '../domain/field.ts'
import type { Instant } from '../domain/instant.ts'
import { toInstant } from '../domain/store-time.ts'
import type { Client } from './client.ts'
import type { EventQuery, EventRecord, Platform } from './platform.ts'
import { flag, opened, readList, requiredText, UnexpectedAnswer, type WireRecord, whole } from './read.ts'

/** The platform's log of what it sent (spec, "Webhook event record"). */
export function createEvents(client: Client): Platform['events'] {
  return {
    async list(query, signal) {
      const { webhookId, ...values } = query
      const records = await client.read(
        'events.list',
        { path: { webhookId }, query: { ...values }, signal },
        (answer) => readList(answer, 'event', readEvent),
      )
      return records.filter((record) => isWanted(record, query))
    },

    async get({ webhookId, webhookEventId }, signal) {
      try {
        const found = await client.read('events.get', { path: { webhookId, webhookEventId }, signal }, (answer) =>
          readList(answer, 'event', readEvent),
        )
        return found.find((record) => record.webhookEventId === webhookEventId) ?? null
      } catch (error) {
        if (error instanceof PermanentError && error.code === 'http-404') return null
        throw error
      }
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
    webhookId: requiredText(record, 'webhookId'),
    webhookEventId: requiredText(record, 'webhookEventId'),
    createdAt: readCreated(record),
    status,
    statusCode,
    success: flag(record, 'success') ?? (statusCode === null ? isOk(status) : statusCode >= 200 && statusCode < 300),
    runsCounter: whole(record, 'runsCounter'),
    ...(payload !== undefined && payload !== null && { payload: opened(payload) }),
    record,
  }
}

/** In which zone the log is written is not shown; UTC is taken (docs/platform-unknowns.md). */
function readCreated(record: WireRecord): Instant {
  const created = requiredText(record, 'createdDateTime')
  try {
    return toInstant(created, 'UTC')
  } catch {
    throw new UnexpectedAnswer('has a createdDateTime that is not a datetime')
  }
}

/** One word for how it ended: the name of any success of HTTP, since a receiver may answer any of them (spec, Events 1). */
const GOOD = new Set(
  Object.entries(STATUS_CODES).flatMap(([code, name]) => (/^2/.test(code) ? (name?.toLowerCase() ?? []) : [])),
)

function isOk(status: string | null): boolean {
  return status !== null && GOOD.has(status.trim().toLowerCase())
}
