import type { DeliveryState } from '../../../domain/queue/delivery.ts'

/** `delivery`: the one that is not made yet, or was given up; null: none, the destination has acknowledged the last. */
export interface LevelStanding {
  delivery: number | null
  state: DeliveryState
}
