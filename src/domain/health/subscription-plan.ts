import type { Instant } from '../values/instant.ts'

/** A subscription as a plan speaks of it, without what is secret. */
export interface SubscriptionState {
  /** Where it sends, without the token. */
  url: string
  /** The store's id that it is limited to; null: none. */
  storeId: string | null
  /** The place of its token in config, from 1; null: the hub refuses it. */
  token: number | null
}

/** One change that would bring a subscription to what config wants. */
export interface PlannedChange {
  do: 'create' | 'update' | 'delete'
  kind: string
  id: string | null
  /** Null: there is none yet. */
  before: SubscriptionState | null
  /** Null: it goes. */
  after: SubscriptionState | null
  why: string
}

/** The difference between what config wants and what the platform has. */
export interface SubscriptionPlan {
  changes: PlannedChange[]
  /** How many are as they should be. */
  right: number
  /** How many are somebody else's: they are left alone. */
  foreign: number
  /** Subscriptions that stay, though they are not as they might be. */
  remarks: string[]
  /** Names this plan: another difference has another name. */
  digest: string
}

/** A difference between what the platform sends and what config wants. */
export interface SubscriptionFault {
  /** `all SaleCreated`: the hub's own name of the subscription, and the kind. */
  name: string
  /** The fault, in a sentence; no token. */
  why: string
  since: Instant
  /** The fault loses nothing. */
  harmless: boolean
}
