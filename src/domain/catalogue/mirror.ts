import type { Sale } from '../books/sale.ts'
import type { FiscalReport, Settlement } from '../books/settlement.ts'
import type { Instant } from '../values/instant.ts'
import type { Decimal, Money } from '../values/money.ts'
import type { Delivery, Reservation, StockCount } from './goods.ts'
import type { ReadProduct } from './master-data.ts'

/** One fact of the platform, for the hub's own copy of what the platform knows. */
export type MirrorFact =
  | {
      type: 'sale'
      key: string
      external: boolean
      /** A sale that was made of its lines: nobody knows how it was paid. */
      isThin: boolean
      storeNo: string | null
      /** The platform's id of the store, where others have its number too. */
      storeId?: string | null
      day: string | null
      sale: Sale
    }
  | ({ type: 'sales-lines'; revision: number } & SalesHour)
  | { type: 'settlement'; settlement: Settlement; fiscal: FiscalReport | null; day: string | null }
  | { type: 'movement'; movement: Movement; day: string | null }
  | ({ type: 'level' } & LevelRead)
  | { type: 'count'; count: StockCount }
  | { type: 'delivery'; delivery: Delivery }
  | { type: 'product'; revision: number; product: ReadProduct }
  | { type: 'reservation'; step: 'made' | 'ended'; reservation: Reservation }
  /** Nothing is kept for this order any more: it was fetched, sent, or is off. `at`: when the hub was told. */
  | { type: 'order-over'; orderNo: string; at: Instant }

/** All lines that a store sold in one hour of its wall clock: those that were there before and are not among them are void. */
export interface SalesHour {
  /** The platform's id. */
  storeId: string
  /** `2026-11-20T14`. */
  hour: string
  lines: SoldLine[]
}

/** One line of a sale (spec, "Sales lines"); revenue is quantity × unit price, and a return has a quantity below 0. */
export interface SoldLine {
  lineId: string
  saleId: string | null
  stockId: string | null
  gtin: string | null
  /** The store's wall clock; no zone. */
  soldAt: string
  quantity: Decimal
  /** The price of one piece, after discount, VAT included. */
  unitPrice: Money
  fullPrice: Decimal | null
  discount: Decimal | null
  /** The cost of one piece, without VAT. */
  cost: Decimal | null
  /** A fraction. */
  vatRate: Decimal | null
}

/** How much of an article a stock has, as it was read. */
export interface LevelRead {
  stockId: string
  gtin: string
  sku: string | null
  level: Decimal
  readAt: Instant
}

/** The sets of the mirror, each with one sort of rows. */
export const MIRROR_SETS = [
  'stock',
  'movements',
  'reservations',
  'orders-over',
  'settlements',
  'sales',
  'sales-lines',
  'deliveries',
  'products',
  'retail-lists',
  'dated-prices',
  'store-details',
] as const
export type MirrorSet = (typeof MIRROR_SETS)[number]

/** One row of the mirror. */
export interface MirrorRow {
  set: MirrorSet
  /** Names it within its set. */
  key: string
  /** The id of its stock or store, whichever it is about; null: of none. */
  place: string | null
  /** A GTIN, where it is about one. */
  article: string | null
  /** The store's day, `yyyy-mm-dd`; empty: it is of no day. */
  day: string
  /** Rows of one part are replaced together (an hour of sales lines); null: it stands alone. */
  part: string | null
  /** The higher one stays, whichever comes first; of equal ones, the higher `tie`, and of equal ones again the later. */
  version: number
  tie: number
  /** The contents, as JSON values. */
  body: Readonly<Record<string, unknown>>
}

/** A change of the mirror: a row, or all rows of a part, so that those of before that are not among them go. */
export type MirrorChange =
  | { type: 'put'; row: MirrorRow }
  | { type: 'replace'; set: MirrorSet; part: string; rows: MirrorRow[] }

/** A choice of rows: a field that is not given does not matter. Days are both included. */
export interface MirrorFilter {
  set: MirrorSet
  place?: string
  article?: string
  part?: string
  from?: string
  to?: string
}

/** Where a page ended; the next one begins after it. */
export interface MirrorCursor {
  day: string
  id: number
}

/** A row as it is kept. */
export interface KeptRow extends MirrorRow {
  id: number
  /** When it was written last. */
  savedAt: Instant
}

/** Names a row of `stock`. */
export function stockKey(stockId: string, gtin: string): string {
  return `${stockId}/${gtin}`
}

/** The level in a row of `stock`. */
export function levelIn({ body }: Pick<MirrorRow, 'body'>): Decimal {
  return body.level as Decimal
}

/*
 * Stock movements (spec, "Stock movement (odata Stockmovements)" and Events 7). Names and codes are two words for one thing. The
 * spec shows eight names (L489) and what four codes mean (L150); which names the other codes have is not known, and not guessed.
 */

/** Goods that came into a stock (above 0) or left it, once. */
export interface Movement {
  movementId: string
  stockId: string
  /** The retailer's own name of the stock. */
  stockNo: string | null
  gtin: string | null
  sku: string | null
  /** `Sale`, `Manual` … (`movementTypeOf`). */
  type: string | null
  quantity: Decimal
  /** The level that it left in the stock. */
  level: Decimal | null
  /** The store's wall clock, as the platform wrote it; no zone. */
  at: string | null
}
