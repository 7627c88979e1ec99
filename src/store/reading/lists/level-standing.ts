import type { DeliveryState } from '../../../domain/queue/delivery.ts'

/** `delivery`: pending or dead; null: the last one is acknowledged. */
export interface LevelStanding {
  delivery: number | null
  state: DeliveryState
}
