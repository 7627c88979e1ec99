import type { ArticleStock, StockState } from '../domain/catalogue/channel.ts'
import { levelIn, stockKey } from '../domain/catalogue/mirror.ts'
import { type Decimal, sumDecimals } from '../domain/values/money.ts'
import type { Storage } from './storage.ts'

const MAX_RESERVED = 5_000

export type StockOf = (gtin: string) => Promise<ArticleStock | null>

interface Options {
  storage: Pick<Storage, 'mirrorRows' | 'mirrorPage' | 'now'>
  stocks: readonly string[]
  /** Reservations are already taken off the platform's levels. */
  levelsAreSellable: boolean
}

export function createArticleStock({ storage, stocks, levelsAreSellable }: Options): StockOf {
  async function reservedOf(gtin: string): Promise<Map<string | null, Decimal>> {
    if (levelsAreSellable) return new Map()
    const kept = await storage.mirrorPage({ set: 'reservations', article: gtin }, null, MAX_RESERVED)
    const byStock = Map.groupBy(kept, ({ place }) => place)
    return new Map(
      [...byStock].map(([stockId, rows]) => [
        stockId,
        sumDecimals(rows.flatMap(({ body }) => (body.quantity as Decimal | null) ?? [])),
      ]),
    )
  }

  return async (gtin) => {
    const version = storage.now()
    const keys = stocks.map((stockId) => stockKey(stockId, gtin))
    const rows = keys.length === 0 ? [] : await storage.mirrorRows('stock', keys)
    if (rows.length === 0) return null
    const reserved = await reservedOf(gtin)
    const states = rows.map((row): StockState => {
      const stockId = row.place ?? ''
      return { stockId, level: levelIn(row), reserved: reserved.get(stockId) ?? sumDecimals([]) }
    })
    const sku = rows.map(({ body }) => body.sku as string | null).find((one) => one !== null) ?? null
    return { gtin, sku, stocks: states.sort((a, b) => a.stockId.localeCompare(b.stockId)), version }
  }
}
