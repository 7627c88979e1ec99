import type { ReadIdentity } from './identity.ts'

export interface Kind {
  name: string
  /** Spec's table of events; null: below it. */
  number: number | null
  /**
   * Immutable: happens once (a sale). Versioned: about something that changes (an order). Repeatable: repeated on purpose (a sent
   * receipt).
   */
  nature: 'immutable' | 'versioned' | 'repeatable' | 'unknown'
  /** Null: only the transport key or the same bytes tell a duplicate. */
  identity: ReadIdentity | null
  /** For kinds without identity. */
  entity?: (payload: unknown) => string | null
  identityText: string
  /** For display; the ordering key. */
  entityText: string
  /** `hub`: submitted or internal. */
  knownFrom: 'spec' | 'public' | 'none' | 'hub'
}
