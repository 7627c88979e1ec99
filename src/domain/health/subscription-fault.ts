import type { Instant } from '../values/instant.ts'

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
