import type { Event } from '../../domain/queue/event.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { isCompared, type NewDelivery } from '../arrival.ts'
import { type ClaimedDelivery, NEVER_TRIED } from '../claim.ts'
import { columnOf } from '../tables/statement.ts'

export interface Item {
  place: QueuePosition
  delivery: ClaimedDelivery
  event: Omit<Event, 'body'>
  /** Null while it waits long or is low priority: read again for the claim. */
  body: Uint8Array | null
  size: number
  dueAt: Instant
  state: 'waiting' | 'claimed' | 'held' | 'gone'
  digested: boolean
  guarded: boolean
  /** Low priority, unless a normal one waits behind it. */
  yields: boolean
  /** Where hubs share the work. */
  partition?: number
  /** Order of becoming due in the queue, and when; 0 before. */
  turn: number
  readyAt: Instant
  /** What it goes out with; '' before. */
  group: string
  isLowPriority: boolean
  waitsForTime: boolean
  /** When an attempt set `dueAt`; null: not since it was read. */
  timedAt: Instant | null
}

const UNPLACED = { turn: 0, readyAt: 0, group: '', isLowPriority: false, waitsForTime: false, timedAt: null }

export function itemOfRow({ body, ...loaded }: LoadedItem): Item {
  const kept = loaded.state === 'held' || loaded.yields ? null : body
  return { ...loaded, place: { event: loaded.event.id, delivery: loaded.delivery.id }, body: kept, ...UNPLACED }
}

export function itemOfStep(id: number, step: NewDelivery, event: Item['event'], body: Uint8Array): Item {
  const { flow, part, destination, urgency, entity, batch, once, effect = null, yields = false, released = null } = step
  return {
    place: { event: event.id, delivery: id },
    delivery: { id, flow, part, destination, urgency, entity, batch, once, effect, released, ...NEVER_TRIED },
    event,
    body: yields ? null : body,
    size: body.byteLength,
    dueAt: step.notBefore ?? event.receivedAt,
    state: 'waiting',
    digested: isCompared(step),
    guarded: step.unless !== undefined && step.unless.length > 0,
    yields,
    ...UNPLACED,
  }
}

/** As a page of the storage has it. */
export type LoadedItem = Omit<Item, 'place' | 'state' | keyof typeof UNPLACED> & { state: 'waiting' | 'held' }

export interface QueuePosition {
  event: number
  delivery: number
}

export const START: QueuePosition = { event: 0, delivery: 0 }

export function isBefore(one: QueuePosition, other: QueuePosition): boolean {
  return one.event === other.event ? one.delivery < other.delivery : one.event < other.event
}

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
