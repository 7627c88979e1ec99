import type { Item } from './item.ts'

/** Where a delivery stands in its lane: in the order of events, and of one event in the order in which it was owed. */
export interface Place {
  event: number
  delivery: number
}

/** Before all others. */
export const START: Place = { event: 0, delivery: 0 }

export function placeOf({ event, delivery }: Item): Place {
  return { event: event.id, delivery: delivery.id }
}

export function isBefore(one: Place, other: Place): boolean {
  return one.event === other.event ? one.delivery < other.delivery : one.event < other.event
}
