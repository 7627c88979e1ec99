import { getTableColumns } from 'drizzle-orm'
import { deliveries, events } from './schema.ts'

/* Which columns people read of events and deliveries; the others are the store's own business. */

const { facts: _facts, submission: _submission, line: _line, ...ofEvent } = getTableColumns(events)
const { bodyHash: _bodyHash, ...eventColumns } = ofEvent
const {
  eventId,
  batch: _batch,
  once: _once,
  finds: _finds,
  failingSince: _failingSince,
  latestWins: _latestWins,
  digest: _digest,
  force: _force,
  subject: _subject,
  version: _version,
  effect: _effect,
  unless: _unless,
  ...ofDelivery
} = getTableColumns(deliveries)

/** Of an event in a list. */
export { eventColumns }

/** Of a single event, besides its payload. */
export const eventDetailColumns = ofEvent

/** Of a delivery; its event's kind needs a join. */
export const deliveryColumns = { ...ofDelivery, event: eventId, kind: events.kind }
