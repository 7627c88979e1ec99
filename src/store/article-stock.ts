import type { ArticleStock, StockState } from '../domain/channel.ts'
import { levelIn, stockKey } from '../domain/mirror.ts'
import { type Decimal, sumDecimals } from '../domain/money.ts'
import type { Store } from './store.ts'

/** More reservations of one article than that are not kept at once. */
const MOST_RESERVED = 5_000

/** What the stocks that anybody sells from have of an article now, by the mirror; null: none has ever had it. */
export async function articleStock(
  store: Pick<Store, 'mirrorRows' | 'mirrorPage' | 'now'>,
  gtin: string,
  stocks: readonly string[],
): Promise<ArticleStock | null> {
  const version = store.now()
  const keys = stocks.map((stockId) => stockKey(stockId, gtin))
  const rows = await store.mirrorRows('stock', keys)
  if (rows.length === 0) return null
  const kept = await store.mirrorPage({ set: 'reservations', article: gtin }, null, MOST_RESERVED)
  const reservedIn = Map.groupBy(kept, ({ place }) => place)
  const states = rows.map((row): StockState => {
    const stockId = row.place ?? ''
    const reserved = (reservedIn.get(stockId) ?? []).flatMap(({ body }) => (body.quantity as Decimal | null) ?? [])
    return { stockId, level: levelIn(row), reserved: sumDecimals(reserved) }
  })
  const sku = rows.map(({ body }) => body.sku as string | null).find((one) => one !== null) ?? null
  return { gtin, sku, stocks: states.sort((a, b) => a.stockId.localeCompare(b.stockId)), version }
}
