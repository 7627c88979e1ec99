import type { Event } from '../domain/queue/event.ts'
import type { ClaimedDelivery } from './claim.ts'

/* The columns that a claim needs of a delivery `d` and its event `e`, the same in both engines. */

const OF_DELIVERY = [
  ...(['id', 'flow', 'part', 'destination', 'urgency', 'entity', 'batch', 'once', 'effect', 'tries', 'finds'] as const),
  ...(['failingSince', 'firstTriedAt', 'open', 'crashes'] as const),
]
const OF_EVENT = [
  ...(['id', 'kind', 'origin', 'subscription', 'receivedAt', 'transportKey', 'identity', 'revision'] as const),
  ...(['entity', 'bodyHash'] as const),
]

export const CLAIMED_COLUMNS = [
  ...OF_DELIVERY.map((name) => `d.${columnOf(name)} as "${name}"`),
  ...OF_EVENT.map((name) => `e.${columnOf(name)} as "event.${name}"`),
  'd.released',
].join(', ')

/** SQLite's flags are 0 and 1; `released` is JSON. */
export type ClaimedRow = Omit<ClaimedDelivery, 'released' | 'once' | 'open'> &
  Record<'once' | 'open', boolean | number> & { 'event.id': number; released: string | null }

export function claimedOf(row: ClaimedRow): { delivery: ClaimedDelivery; event: Omit<Event, 'body'> } {
  const delivery = Object.fromEntries(OF_DELIVERY.map((name) => [name, row[name]])) as unknown as ClaimedDelivery
  delivery.once = Boolean(row.once)
  delivery.open = Boolean(row.open)
  delivery.released = row.released === null ? null : JSON.parse(row.released)
  const values = row as unknown as Record<string, unknown>
  const event = Object.fromEntries(OF_EVENT.map((name) => [name, values[`event.${name}`]])) as unknown
  return { delivery, event: event as Omit<Event, 'body'> }
}

function columnOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
