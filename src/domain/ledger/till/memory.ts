import type { Instant } from '../../values/instant.ts'
import type { Link } from './chain.ts'

/** What is remembered of a till between two looks at it. */
export interface TillMemory {
  /** How many of its reports have balanced that had anything in them. */
  balanced: number
  /** From here on its reports prove something; null: none has been judged. */
  begins: Instant | null
  /** Settlements that need no further look. */
  done: readonly string[]
  /** The newest report that was judged, and none before it waits; where there is none, the newest that waits. */
  last: Link | null
}

export const NEW_TILL: TillMemory = { balanced: 0, begins: null, done: [], last: null }
