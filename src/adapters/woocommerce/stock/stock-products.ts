import type { StockLevel } from '../../../ports/stock.ts'
import type { ShopApi } from '../api.ts'
import { findProducts, type ProductReference } from './products.ts'

type Article = Pick<StockLevel, 'sku' | 'gtin'>

/** How long a product that was looked up is taken as known (milliseconds). One that was not there is looked up each time. */
const KEPT = 10 * 60_000

/** As many products as are remembered; then it begins anew. */
const MAX_PRODUCTS = 50_000

/** The shop's products of articles, looked up once and remembered for a while: levels come many a minute. */
export function createProductMemory(api: ShopApi, now: () => number) {
  const known = new Map<string, { product: ProductReference; until: number }>()

  return {
    /** In the order of the articles. Null: the shop has none that it can sell. */
    async find(articles: readonly Article[], signal: AbortSignal): Promise<(ProductReference | null)[]> {
      const found = articles.map((article) => remembered(article))
      const missing = articles.filter((_, index) => found[index] === null)
      const looked = missing.length === 0 ? [] : await findProducts(api, missing, signal)
      missing.forEach((article, index) => {
        const product = looked[index]
        if (product) remember(article, product)
      })
      return articles.map((article, index) => found[index] ?? remembered(article))
    },
    forget(article: Article): void {
      known.delete(keyOf(article))
    },
  }

  function remembered(article: Article): ProductReference | null {
    const entry = known.get(keyOf(article))
    return entry && entry.until > now() ? entry.product : null
  }

  function remember(article: Article, product: ProductReference): void {
    if (known.size >= MAX_PRODUCTS) known.clear()
    known.set(keyOf(article), { product, until: now() + KEPT })
  }
}

function keyOf({ sku, gtin }: Article): string {
  return JSON.stringify([sku, gtin])
}
