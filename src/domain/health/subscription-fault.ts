import type { Instant } from '../values/instant.ts'

/** What the platform sends otherwise than config wants. */
export interface SubscriptionFault {
  /** `all SaleCreated`: the hub's own name of the subscription, and the kind. */
  name: string
  /** What is wrong, in a sentence; no token. */
  why: string
  since: Instant
  /** Nothing is lost by it. */
  harmless: boolean
}
