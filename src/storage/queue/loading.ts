import type { Event } from '../../domain/queue/event.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { ClaimedDelivery } from '../claim.ts'
import { columnOf } from '../tables/statement.ts'
import type { LoadedItem } from './queue.ts'

const OF_DELIVERY = [
  ...(['id', 'flow', 'part', 'destination', 'urgency', 'entity', 'batch', 'once', 'effect', 'tries', 'finds'] as const),
  ...(['failingSince', 'firstTriedAt', 'open', 'crashes'] as const),
]
const OF_EVENT = [
  ...(['id', 'kind', 'origin', 'subscription', 'receivedAt', 'transportKey', 'identity', 'revision'] as const),
  ...(['entity', 'bodyHash'] as const),
]

/** Of deliveries `d` and their events `e`; a body may come with them. */
export const LOADED_COLUMNS = [
  ...OF_DELIVERY.map((name) => `d.${columnOf(name)} as "${name}"`),
  ...OF_EVENT.map((name) => `e.${columnOf(name)} as "event.${name}"`),
  'd.released, d.state, d.due_at as "dueAt", (d.digest is not null or d.version is not null) as digested',
  'd.unless is not null as guarded, d.yields, e.size',
].join(', ')

/** SQLite's booleans are 0 and 1. */
export interface LoadedRow extends Pick<ClaimedDelivery, (typeof OF_DELIVERY)[number]> {
  'event.id': number
  released: string | null
  state: 'waiting' | 'claimed' | 'held'
  dueAt: Instant
  digested: boolean
  guarded: boolean
  yields: boolean
  size: number
  partition?: number
  body: Uint8Array | null
}

export function loadedItem(row: LoadedRow): LoadedItem {
  const values = row as unknown as Record<string, unknown>
  const delivery: Record<string, unknown> = {}
  for (const name of OF_DELIVERY) delivery[name] = values[name]
  delivery.once = Boolean(row.once)
  delivery.open = Boolean(row.open)
  delivery.released = row.released === null ? null : JSON.parse(row.released)
  const event: Record<string, unknown> = {}
  for (const name of OF_EVENT) event[name] = values[`event.${name}`]
  const { body, dueAt, partition } = row
  return {
    ...{ delivery: delivery as unknown as ClaimedDelivery, event: event as unknown as Omit<Event, 'body'> },
    ...{ body, size: body?.byteLength ?? row.size, dueAt, state: row.state === 'held' ? 'held' : 'waiting' },
    ...{ digested: Boolean(row.digested), guarded: Boolean(row.guarded), yields: Boolean(row.yields) },
    ...(partition !== undefined && { partition }),
  }
}
