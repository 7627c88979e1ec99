import type { Instant } from '../values/instant.ts'

export interface SubscriptionState {
  url: string
  storeId: string | null
  token: number | null
}

export interface PlannedChange {
  do: 'create' | 'update' | 'delete'
  kind: string
  id: string | null
  before: SubscriptionState | null
  after: SubscriptionState | null
  why: string
}

export interface SubscriptionPlan {
  changes: PlannedChange[]
  right: number
  foreign: number
  remarks: string[]
}

export interface SubscriptionFault {
  name: string
  why: string
  since: Instant
  harmless: boolean
}
