import { transportKeyOf } from '../../../domain/queue/transport-key.ts'
import { field, flag, text } from '../../../domain/values/field.ts'
import { formatInstant, type Instant } from '../../../domain/values/instant.ts'
import { toInstant } from '../../../domain/values/store-time.ts'
import type { Client } from '../../http/client.ts'
import { isGoodStatus } from '../../http/good-status.ts'
import { orNone } from '../../http/or-none.ts'
import { opened, requiredId, requiredText, UnexpectedAnswer, type WireRecord, whole } from '../../http/read.ts'
import { readList } from '../../http/read-list.ts'
import { readManyListed } from '../../http/read-rows.ts'
import type { EventQuery, EventRecord, Platform } from '../../platform.ts'

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
