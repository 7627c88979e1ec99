import type { Event } from '../../domain/queue/event.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { isCompared, type NewDelivery } from '../arrival.ts'
import { type ClaimedDelivery, NEVER_TRIED } from '../claim.ts'

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
  /** Submitted by an own system: no richer body completes it. */
  own: boolean
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

export function itemOfStep(id: number, step: NewDelivery, event: Item['event'], body: Uint8Array, own: boolean): Item {
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
    own,
    yields,
    ...UNPLACED,
  }
}

export type LoadedItem = Omit<Item, 'place' | 'state' | keyof typeof UNPLACED> & { state: 'waiting' | 'held' }

export interface QueuePosition {
  event: number
  delivery: number
}

export const START: QueuePosition = { event: 0, delivery: 0 }

export function isBefore(one: QueuePosition, other: QueuePosition): boolean {
  return one.event === other.event ? one.delivery < other.delivery : one.event < other.event
}
