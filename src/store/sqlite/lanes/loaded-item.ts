import type { Event } from '../../../domain/queue/event.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { ClaimedDelivery } from '../../claim.ts'

/** An open delivery as the file has it. */
export interface LoadedItem {
  delivery: ClaimedDelivery
  event: Omit<Event, 'body'>
  /** Null where it is packed, or not kept. */
  body: Uint8Array | null
  /** Bytes of the body, here or not. */
  size: number
  dueAt: Instant
  state: 'waiting' | 'held'
  digested: boolean
  guarded: boolean
  own: boolean
  yields: boolean
}
