import type { Instant } from '../../domain/values/instant.ts'
import type { Audit } from '../screens.ts'

/** An event that somebody must be able to show: it stays until it is let go. */
export interface LegalHold {
  event: number
  at: Instant
  by: string
  reason: string
}

/** The verbs on legal holds; each is an act of the audit. */
export interface Holding {
  /** Puts events under a legal hold; those that are not here or held already are left out. The act, and how many. */
  holdEvents(ids: readonly number[], audit: Audit): Promise<Held>
  /** Lets them go. */
  unholdEvents(ids: readonly number[], audit: Audit): Promise<Held>
  /** Legal holds in the order of events; `after`: the event of the last one of the page before, else 0. */
  legalHolds(after: number, limit: number): Promise<LegalHold[]>
}

export interface Held {
  act: number | null
  changed: number
  /** Of those that were named, the ones that are not here. */
  missing: number[]
  /** The ones that are as they were: under a hold already, or under none. */
  left: number[]
}
