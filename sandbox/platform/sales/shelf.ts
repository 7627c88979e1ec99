import { findArticle } from '../goods/article.ts'
import type { Article } from '../goods/assortment.ts'
import type { Goods } from '../goods/held.ts'
import type { Level } from '../odata/rows.ts'
import type { Stock } from '../stores.ts'
import type { Moved } from './book.ts'
import { storeTime } from './clock.ts'

/** The goods that sales and odata know: everything in the catalogue, of the POS' assortment or brought by the API. */
export interface Shelf {
  articles(): Article[]
  byGtin(gtin: string): Article | null
  /** The platform's id of the variant; 0, if the catalogue does not have it. */
  productId(article: Article): number
  /** The levels of all that a stock ever had, now or as they were at this wall clock of its own (null: now). */
  levels(stock: Stock, at: string | null): Level[]
}

export function createShelf(goods: Goods, moved: readonly Moved[]): Shelf {
  const { catalogue, stock } = goods
  const itemOf = ({ gtin, sku }: Article) => catalogue.find({ gtin }) ?? catalogue.find({ externalSKU: sku })

  /** By GTIN. */
  function movedSince(place: Stock, at: string): Map<string, number> {
    const sums = new Map<string, number>()
    for (const { store, article, instant, quantity } of moved)
      if (store.StockId === place.StockId && storeTime(instant, place) > at)
        sums.set(article.gtin, (sums.get(article.gtin) ?? 0) + quantity)
    return sums
  }

  return {
    articles: () => catalogue.items().flatMap((item) => findArticle(goods, { identity: item.size.identity }) ?? []),

    byGtin: (gtin) => findArticle(goods, { gtin }),

    productId: (article) => itemOf(article)?.variant.productid ?? 0,

    levels(place, at) {
      // Back from now: what moved since then is taken back.
      const since = at === null ? new Map<string, number>() : movedSince(place, at)
      return stock.levelsIn(place.StockId).flatMap(({ identity, quantity }) => {
        const item = catalogue.find({ identity })
        const article = item && findArticle(goods, { identity })
        if (!article) return []
        const level = quantity - (since.get(article.gtin) ?? 0)
        const reserved = stock.reserved(place.StockId, identity)
        return [{ store: place, article, productId: item.variant.productid, level, reserved }]
      })
    },
  }
}
