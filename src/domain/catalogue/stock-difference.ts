import type { Instant } from '../values/instant.ts'
import type { Decimal } from '../values/money.ts'

/**
 * Why two that should say the same do not. `missed-event`: a movement that the mirror never got, or a level that a shop was
 * never told. `in-transit`: it is on its way. `open-reservation`: one counts goods that are kept for somebody, the other does
 * not. `unknown`: nothing says why; a shop may count by itself.
 */
type DifferenceCause = 'missed-event' | 'in-transit' | 'open-reservation' | 'unknown'

/** A difference of stock: the hub's mirror has another level than the platform, or a shop has another than can be sold. */
export interface StockDifference {
  /** The run that found it: its day, and a number where a day has several. */
  run: string
  /** The stock's id; or the shop and its location. */
  of: { stockId: string } | { destination: string; location: string }
  gtin: string
  sku: string | null
  /** The true level: the platform's, or the one that can be sold. */
  right: Decimal
  /** The level of the mirror, or of the shop. */
  found: Decimal
  cause: DifferenceCause
  /** More about the cause, for people. */
  detail: string | null
  /** When the truth was read. */
  readAt: Instant
  /** `proposed`: nobody has done anything about it. */
  state: 'proposed' | 'corrected'
  /** The person who approved it, and why; null: it was corrected by itself, being one of few, or is not corrected. */
  approved: { by: string; reason: string | null } | null
}
