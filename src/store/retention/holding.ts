import type { Instant } from '../../domain/values/instant.ts'
import type { Audit } from '../screens.ts'

/** Stays until released. */
export interface LegalHold {
  event: number
  at: Instant
  by: string
  reason: string
}

export interface Holding {
  /** Those missing or already held are left out. */
  holdEvents(ids: readonly number[], audit: Audit): Promise<Held>
  unholdEvents(ids: readonly number[], audit: Audit): Promise<Held>
  /** `after`: last event, else 0. */
  legalHolds(after: number, limit: number): Promise<LegalHold[]>
}

export interface Held {
  act: number | null
  changed: number
  missing: number[]
  /** Unchanged: already held, or not held. */
  left: number[]
}
