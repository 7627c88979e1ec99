import type { Instant } from '../../domain/values/instant.ts'

export interface SearchReach {
  /** Events up to this id can be found. */
  upTo: number
  /** Its receipt. */
  until: Instant | null
  /** Ids not indexed yet. */
  behind: number
}
