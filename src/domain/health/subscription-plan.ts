import type { Instant } from '../values/instant.ts'

/** Without secrets. */
export interface SubscriptionState {
  /** Without the token. */
  url: string
  /** Null: all stores. */
  storeId: string | null
  token: number | null
}

export interface PlannedChange {
  do: 'create' | 'update' | 'delete'
  kind: string
  id: string | null
  /** Null: to be created. */
  before: SubscriptionState | null
  /** Null: to be deleted. */
  after: SubscriptionState | null
  why: string
}

export interface SubscriptionPlan {
  changes: PlannedChange[]
  right: number
  foreign: number
  remarks: string[]
  /** Digest of the plan: an approval is for this one. */
  digest: string
}

export interface SubscriptionFault {
  /** `all SaleCreated`. */
  name: string
  /** Without tokens. */
  why: string
  since: Instant
  /** Loses nothing. */
  harmless: boolean
}
