import type { Instant } from '../../domain/values/instant.ts'

/** How far the index of what events say has come. */
export interface SearchReach {
  /** Events up to this id can be found. */
  upTo: number
  /** When that one was taken. */
  until: Instant | null
  /** How many ids are behind it. */
  behind: number
}
