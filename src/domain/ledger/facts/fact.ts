import type { Instant } from '../../values/instant.ts'
import type { SeenGap } from '../gap.ts'

/** Something that happened, as a list of the platform tells of it. */
export interface Fact {
  /** Names it among those of its kind: its identity, where the list says it. */
  subject: string
  /** The platform's id of its store; null: it has none, or nobody knows which. */
  storeId: string | null
  /** The day of its store, `yyyy-mm-dd`. */
  day: string
  /** The first and the last instant that its store's wall clock can mean. */
  earliest: Instant
  latest: Instant
  /** Plain facts for people. No secret, no personal data. */
  says: Readonly<Record<string, string | number | null>>
  /** Why the event cannot be made of what the list says, and what a person can do; null: it can. */
  lacks: string | null
}

/** The gap that a fact is of which no event has told. `list`: the list that tells of it. */
export function untoldGap(kind: string, list: string, fact: Fact): SeenGap & { kind: string } {
  const { subject, storeId, day, earliest, says, lacks } = fact
  const facts = { list, arose: new Date(earliest).toISOString(), ...says, ...(lacks !== null && { lacks }) }
  const where = { road: 'facts', kind, storeId, destination: null, day } as const
  return { ...where, cause: lacks === null ? 'untold' : 'thin', subject, at: earliest, evidence: { facts } }
}
