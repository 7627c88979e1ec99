import type { Item } from './item.ts'

/** Order within a lane: by event, then by delivery. */
export interface Place {
  event: number
  delivery: number
}

export const START: Place = { event: 0, delivery: 0 }

export function placeOf({ event, delivery }: Item): Place {
  return { event: event.id, delivery: delivery.id }
}

export function isBefore(one: Place, other: Place): boolean {
  return one.event === other.event ? one.delivery < other.delivery : one.event < other.event
}
