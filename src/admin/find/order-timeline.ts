import { PLATFORM } from '../../domain/queue/event.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { DeliveryDetail, EventRow, LookupRow, OrderHistory } from '../../store/screens.ts'

/** One thing that happened to an order. */
export interface TimelineEntry {
  at: Instant
  /** `message`: a try to tell the customer. `operator`: a person decided. */
  type: 'event' | 'submission' | 'attempt' | 'message' | 'operator' | 'lookup'
  /** In one line. */
  what: string
  event?: number
  delivery?: number
  /** The end of an attempt. */
  outcome?: string
}

/** Flows of these ports write to customers. */
const MESSAGE = /^(email|text)-/

/** All that happened, in the order of time; what has the same instant stays in the order of causes. */
export function timelineOf(
  { events, deliveries, lookups }: OrderHistory,
  says: ReadonlyMap<number, string | null>,
): TimelineEntry[] {
  const entries = [
    ...events.map((event) => ofEvent(event, says.get(event.id) ?? null)),
    ...deliveries.flatMap(ofDelivery),
    ...lookups.map(ofLookup),
  ]
  return entries.sort((a, b) => a.at - b.at)
}

function ofEvent(
  { id, kind, origin, receivedAt, state, revision, submission, problem }: OrderHistory['events'][number],
  says: string | null,
): TimelineEntry {
  const by = origin === PLATFORM ? '' : ` by ${origin}${submission ? ` (submission ${submission.id})` : ''}`
  const parts = [`${kind}${revision > 1 ? ` (${revision})` : ''}${by}`, says, problem ?? unusual(state)]
  return {
    at: receivedAt,
    type: origin === PLATFORM ? 'event' : 'submission',
    what: parts.filter(Boolean).join(': '),
    event: id,
  }
}

function unusual(state: EventRow['state']): string | null {
  return state === 'routed' ? null : state
}

function ofDelivery({ id, flow, part, destination, attempts, audit }: DeliveryDetail): TimelineEntry[] {
  const name = `${part ? `${flow}/${part}` : flow} to ${destination}`
  const type = MESSAGE.test(flow) ? ('message' as const) : ('attempt' as const)
  return [
    ...attempts.map(({ at, ms, outcome, code, note }) => ({
      at: at + ms,
      type,
      what: [`${name}: ${outcome}${outcome === code ? '' : ` (${code})`}`, note].filter(Boolean).join(', '),
      delivery: id,
      outcome,
    })),
    ...audit.map(({ at, by, action, reason, changed }) => ({
      at,
      type: 'operator' as const,
      what: [`${name}: ${action} by ${by}${changed > 1 ? ` (one of ${changed})` : ''}`, reason]
        .filter(Boolean)
        .join(', '),
      delivery: id,
    })),
  ]
}

function ofLookup({ at, found, missing, ms }: LookupRow): TimelineEntry {
  const where = found.length > 0 ? `found at ${found.join(', ')}` : 'not found'
  const silent = missing.length > 0 ? `; no answer from ${missing.join(', ')}` : ''
  return { at, type: 'lookup', what: `the till looked it up: ${where}${silent} (${ms} ms)` }
}
