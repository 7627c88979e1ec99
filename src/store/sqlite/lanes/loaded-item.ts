import type { Event } from '../../../domain/queue/event.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { ClaimedDelivery } from '../../claim.ts'

export interface LoadedItem {
  delivery: ClaimedDelivery
  event: Omit<Event, 'body'>
  /** Null: packed or not stored. */
  body: Uint8Array | null
  /** Of the body, in memory or not. */
  size: number
  dueAt: Instant
  state: 'waiting' | 'held'
  digested: boolean
  guarded: boolean
  own: boolean
  yields: boolean
}
