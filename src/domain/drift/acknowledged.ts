import type { Instant } from '../values/instant.ts'

/** A person's word that what has changed of a kind, until then, is in order. */
export interface KindAcknowledged {
  kind: string
  at: Instant
  by: string
  reason: string | null
}
