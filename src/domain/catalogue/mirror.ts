import type { Sale } from '../accounting/sale.ts'
import type { FiscalReport, Settlement } from '../accounting/settlement.ts'
import type { Instant } from '../values/instant.ts'
import type { Decimal, Money } from '../values/money.ts'
import type { Delivery, Reservation, StockCount } from './goods.ts'
import type { ReadProduct } from './master-data.ts'

export type MirrorFact =
  | {
      type: 'sale'
      key: string
      external: boolean
      isThin: boolean
      storeNo: string | null
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
  | { type: 'order-over'; orderNo: string; at: Instant }

export interface SalesHour {
  storeId: string
  hour: string
  lines: SoldLine[]
}

/** Spec, "Sales lines"; returns have negative quantities. */
export interface SoldLine {
  lineId: string
  saleId: string | null
  stockId: string | null
  gtin: string | null
  soldAt: string
  quantity: Decimal
  unitPrice: Money
  fullPrice: Decimal | null
  discount: Decimal | null
  cost: Decimal | null
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
  'goods-deliveries',
  'products',
  'retail-lists',
  'dated-prices',
  'store-details',
] as const
export type MirrorSet = (typeof MIRROR_SETS)[number]

export interface MirrorRow {
  set: MirrorSet
  key: string
  place: string | null
  article: string | null
  day: string
  part: string | null
  version: number
  tie: number
  body: Readonly<Record<string, unknown>>
}

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

export interface MirrorCursor {
  day: string
  id: number
}

export interface StoredMirrorRow extends MirrorRow {
  id: number
  savedAt: Instant
}

export function stockKey(stockId: string, gtin: string): string {
  return `${stockId}/${gtin}`
}

export function levelIn({ body }: Pick<MirrorRow, 'body'>): Decimal {
  return body.level as Decimal
}

/** Movements (spec, "Stock movement (odata Stockmovements)" and Events 7). */

export interface Movement {
  movementId: string
  stockId: string
  stockNo: string | null
  gtin: string | null
  sku: string | null
  type: string | null
  quantity: Decimal
  level: Decimal | null
  at: string | null
}
