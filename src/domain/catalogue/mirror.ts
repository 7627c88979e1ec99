import type { Sale } from '../books/sale.ts'
import type { FiscalReport, Settlement } from '../books/settlement.ts'
import type { Instant } from '../values/instant.ts'
import type { Decimal, Money } from '../values/money.ts'
import type { Delivery, Reservation, StockCount } from './goods.ts'
import type { ReadProduct } from './master-data.ts'

/** A platform record for the read models. */
export type MirrorFact =
  | {
      type: 'sale'
      key: string
      external: boolean
      /** Composed of sales lines: payments unknown. */
      isThin: boolean
      storeNo: string | null
      /** If its number is ambiguous. */
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
  /** Nothing is reserved for the order any more. */
  | { type: 'order-over'; orderNo: string; at: Instant }

/** All lines of a store and hour; lines stored before and missing here are void. */
export interface SalesHour {
  storeId: string
  /** `2026-11-20T14`. */
  hour: string
  lines: SoldLine[]
}

/** Spec, "Sales lines"; returns have negative quantities. */
export interface SoldLine {
  lineId: string
  saleId: string | null
  stockId: string | null
  gtin: string | null
  /** Store-local. */
  soldAt: string
  quantity: Decimal
  /** After discount, VAT included. */
  unitPrice: Money
  fullPrice: Decimal | null
  discount: Decimal | null
  /** Per piece, without VAT. */
  cost: Decimal | null
  /** A fraction. */
  vatRate: Decimal | null
}

export interface LevelRead {
  stockId: string
  gtin: string
  sku: string | null
  level: Decimal
  readAt: Instant
}

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

export interface MirrorRow {
  set: MirrorSet
  /** Unique within its set. */
  key: string
  /** Stock or store id; null: none. */
  place: string | null
  /** GTIN. */
  article: string | null
  /** Store-local day `yyyy-mm-dd`; empty: none. */
  day: string
  part: string | null
  /** Highest wins; then `tie`; then the later. */
  version: number
  tie: number
  body: Readonly<Record<string, unknown>>
}

/** A row, or a part replaced as a whole. */
export type MirrorChange =
  | { type: 'put'; row: MirrorRow }
  | { type: 'replace'; set: MirrorSet; part: string; rows: MirrorRow[] }

export interface MirrorFilter {
  set: MirrorSet
  place?: string
  article?: string
  part?: string
  from?: string
  to?: string
}

/** Keyset cursor. */
export interface MirrorCursor {
  day: string
  id: number
}

export interface KeptRow extends MirrorRow {
  id: number
  savedAt: Instant
}

export function stockKey(stockId: string, gtin: string): string {
  return `${stockId}/${gtin}`
}

export function levelIn({ body }: Pick<MirrorRow, 'body'>): Decimal {
  return body.level as Decimal
}

/**
 * Movements (spec, "Stock movement (odata Stockmovements)" and Events 7). Names and codes mean the same; the spec has eight names (L489)
 * and four codes (L150), the rest is not guessed.
 */

/** Goods in (positive) or out. */
export interface Movement {
  movementId: string
  stockId: string
  stockNo: string | null
  gtin: string | null
  sku: string | null
  /** `Sale`, `Manual` … (`movementTypeOf`). */
  type: string | null
  quantity: Decimal
  /** Level afterwards. */
  level: Decimal | null
  /** Store-local, as written. */
  at: string | null
}
