import type { Archive } from '../../archive/archive.ts'
import type { Ages } from '../../domain/retention/ages.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Store } from '../../store/store.ts'
import type { Pace } from './pace.ts'
import type { RetentionState } from './state.ts'

/** What pruning asks of the store. */
export type PruningStore = Pick<
  Store,
  | 'standing'
  | 'ageing'
  | 'openGapKeys'
  | 'known'
  | 'event'
  | 'events'
  | 'dropEvents'
  | 'dropPayloads'
  | 'dropAttempts'
  | 'dropKeys'
  | 'nextReceived'
  | 'dropKnown'
  | 'dropSearchKeys'
  | 'dropSubmissions'
  | 'dropRecords'
  | 'acknowledgedUpTo'
  | 'dropAcknowledged'
  | 'shrink'
  | 'size'
>

/** The rows that went. */
export interface Pruned {
  events: number
  deliveries: number
  attempts: number
  payloads: number
  keys: number
  records: number
}

export interface Pruning {
  store: PruningStore
  ages: Ages
  now: Instant
  state: RetentionState
  pace: Pace
  signal: AbortSignal
  /** Told now and then, with what is to be remembered. */
  saved(): Promise<void>
  /** Where events are kept before their payloads go; null: nowhere. */
  archive: Archive | null
}
