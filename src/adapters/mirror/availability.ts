import type { ArticleStock, StockState } from '../../domain/channel.ts'
import { levelIn, stockKey } from '../../domain/mirror.ts'
import { type Decimal, sumDecimals } from '../../domain/money.ts'
import type { MirrorRecords } from './records.ts'

/** More reservations of one article than that are not kept at once. */
const MOST_RESERVED = 5_000

/** What the stocks that anybody sells from have of an article now; null: none has ever had it. */
export async function articleStock(
  records: MirrorRecords,
  gtin: string,
  stocks: readonly string[],
  version: number,
): Promise<ArticleStock | null> {
  const keys = stocks.map((stockId) => stockKey(stockId, gtin))
  const rows = await records.mirrorRows('stock', keys)
  if (rows.length === 0) return null
  const kept = await records.mirrorPage({ set: 'reservations', article: gtin }, null, MOST_RESERVED)
  const reservedIn = Map.groupBy(kept, ({ place }) => place)
  const states = rows.map((row): StockState => {
    const stockId = row.place ?? ''
    const reserved = (reservedIn.get(stockId) ?? []).flatMap(({ body }) => (body.quantity as Decimal | null) ?? [])
    return { stockId, level: levelIn(row), reserved: sumDecimals(reserved) }
  })
  const sku = rows.map(({ body }) => body.sku as string | null).find((one) => one !== null) ?? null
  return { gtin, sku, stocks: states.sort((a, b) => a.stockId.localeCompare(b.stockId)), version }
}
