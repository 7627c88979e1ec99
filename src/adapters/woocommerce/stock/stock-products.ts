import type { StockLevel } from '../../../ports/stock.ts'
import type { ShopApi } from '../api.ts'
import { findStocked, type StockedProduct } from './products.ts'

type Article = Pick<StockLevel, 'sku' | 'gtin'>

/** How long a product that was looked up is taken as known (milliseconds). One that was not there is looked up each time. */
const KEPT = 10 * 60_000

/** Products that are remembered at once; the one that was looked up first is forgotten first. */
const MAX_PRODUCTS = 50_000

/** The shop's products of articles, looked up once and remembered for a while: levels come many a minute. */
export function createProductMemory(api: ShopApi, now: () => number, most = MAX_PRODUCTS) {
  const known = new Map<string, { product: StockedProduct; until: number }>()

  return {
    /** In the order of the articles. Null: the shop has none that it can sell. */
    async find(articles: readonly Article[], signal: AbortSignal): Promise<(StockedProduct | null)[]> {
      const found = articles.map((article) => remembered(article))
      const missing = [...articles.entries()].filter(([index]) => found[index] === null)
      if (missing.length === 0) return found
      const asked = missing.map(([, article]) => article)
      const looked = await findStocked(api, asked, signal)
      for (const [at, [index, article]] of missing.entries()) {
        // A product that was found counts for this call, whatever the memory has room for.
        const product = looked[at] ?? null
        found[index] = product
        if (product) remember(article, product)
      }
      return found
    },
    forget(article: Article): void {
      known.delete(keyOf(article))
    },
  }

  function remembered(article: Article): StockedProduct | null {
    const entry = known.get(keyOf(article))
    return entry && entry.until > now() ? entry.product : null
  }

  function remember(article: Article, product: StockedProduct): void {
    const key = keyOf(article)
    known.delete(key)
    known.set(key, { product, until: now() + KEPT })
    const [oldest] = known.keys()
    if (known.size > most && oldest !== undefined) known.delete(oldest)
  }
}

function keyOf({ sku, gtin }: Article): string {
  return JSON.stringify([sku, gtin])
}
