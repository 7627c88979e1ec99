import type { Cause } from '../causes.ts'
import type { Verdict } from '../completeness.ts'
import type { Level } from '../watermark.ts'

/** The sets of the mirror that a certificate lists. */
export const CERTIFIED_SETS = ['sales', 'sales-lines', 'settlements', 'movements'] as const
export type CertifiedSet = (typeof CERTIFIED_SETS)[number]

/**
 * One fact of the day: its identity, how much it is of (decimal text; null: nobody says), and in which currency (null: pieces,
 * or not said).
 */
export type CertifiedRow = readonly [identity: string, amount: string | null, currency: string | null]

/** The sum of the rows of one currency (null: of those without one, such as pieces). */
interface CurrencySum {
  currency: string | null
  /** Decimal text. */
  sum: string
}

/** A set of one day, summed up. */
export interface SetSummary {
  set: CertifiedSet
  count: number
  sums: CurrencySum[]
  /** SHA-256 of the sorted identities, a line each, in hex. */
  hash: string
}

/** A Z report, as its till numbers it. */
interface CertifiedReport {
  till: string | null
  /** The number of the fiscal report, where there is one; else the settlement's own. */
  number: string | null
  /** Decimal text. */
  grandTotal: string | null
  /** All that the till ever sold less what came back, by its own counter. Decimal text. */
  counter: string | null
  currency: string | null
}

/** What is said of one day of one store. Instants are ISO 8601 in UTC, amounts decimal text. */
export interface Statement {
  format: 'tillbridge-certificate-1'
  store: { id: string; number: string | null; name: string | null; zone: string }
  /** The store's day, `yyyy-mm-dd`: from its midnight to the next, by its own clock. */
  day: string
  from: string
  to: string
  madeAt: string
  madeBy: string
  /** Whether everything that arose by the end of that day is here; as far as was known when it was made. */
  verdict: Verdict
  watermarks: { level: Level; kind: string; store: string | null; from: string; until: string; verdict: Verdict }[]
  /** The stretches of that day that the event log was looked through for, by kind. */
  ranges: { kind: string; from: string; to: string }[]
  /** What is, or was, not proven of that day. */
  gaps: { id: number; kind: string | null; cause: Cause; state: string; at: string; reason: string | null }[]
  /**
   * What the hub has taken of that day, or may have, and that is not among the rows: how many there are of a kind, the first of these events,
   * and whether there may be more; or how many rows of a set are kept by a number that another store has, too. Certificates of older
   * versions do not say.
   */
  owed?: { kind: string; state: string; count: number; events: number[]; more: boolean }[]
  settlements: CertifiedReport[]
  sets: SetSummary[]
  rows: Record<CertifiedSet, CertifiedRow[]>
}

/** A statement with what proves that nobody has changed it since. */
export interface Certificate extends Statement {
  key: { id: string; publicKey: string }
  /** Ed25519 over the canonical JSON (RFC 8785) of all else, base64. */
  signature: string
}
