import { type Article, ASSORTMENT, UNKNOWN_ARTICLE } from './assortment.ts'
import { articleOfItem, type Goods } from './goods.ts'
import type { Moved } from './sales-book.ts'
import { storeTime } from './sales-clock.ts'
import type { Store } from './stores.ts'

/** What sales and odata know of goods: everything in the catalogue, of the tills' assortment or brought by the API. */
export interface Shelf {
  articles(): Article[]
  byGtin(gtin: string): Article | null
  /** The platform's id of the variant; 0, if the catalogue does not have it. */
  productId(article: Article): number
  /** What a stock has, or had at this wall clock of its store (null: now). */
  level(store: Store, article: Article, at: string | null): number
}

export function createShelf({ catalogue, stock }: Goods, moved: readonly Moved[]): Shelf {
  const ofTills = new Map([...ASSORTMENT, UNKNOWN_ARTICLE].map((article) => [article.gtin, article]))
  const itemOf = ({ gtin, sku }: Article) => catalogue.find({ gtin }) ?? catalogue.find({ externalSKU: sku })

  return {
    articles: () =>
      catalogue
        .variants()
        .flatMap((variant) => variant.sizes.map((size) => ({ variant, size })))
        // The tills know the VAT rate, too.
        .map((item) => ofTills.get(item.size.gtin ?? '') ?? articleOfItem(item)),

    byGtin(gtin) {
      const item = catalogue.find({ gtin })
      return ofTills.get(gtin) ?? (item && articleOfItem(item))
    },

    productId: (article) => itemOf(article)?.variant.productid ?? 0,

    /** Back from now: what moved since then is taken back. */
    level(store, article, at) {
      const item = itemOf(article)
      const now = item ? stock.level(store.StockId, item.size.identity) : 0
      if (at === null) return now
      return moved
        .filter((one) => one.store.StockId === store.StockId && one.article.gtin === article.gtin)
        .filter(({ instant }) => storeTime(instant, store) > at)
        .reduce((level, { quantity }) => level - quantity, now)
    },
  }
}
