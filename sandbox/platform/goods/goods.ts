import { toAmount } from '../sales/amounts.ts'
import { seedGoods } from '../seed/goods.ts'
import { STOCKS, STORES, type Stock as StockPlace } from '../stores.ts'
import { type Article, ASSORTMENT, UNKNOWN_ARTICLE } from './assortment.ts'
import { createCatalogue } from './catalogue.ts'
import type { Goods } from './held.ts'
import { createPrices, OPEN } from './prices.ts'
import { createStock } from './stock.ts'

/** Everybody begins with so many of each size. */
const FIRST_STOCK = 30

/** Goods that the POS sell, with their prices in each currency and some in each stock; and what else a retailer has. */
export function createGoods(now: () => number, seedCatalogue: boolean): Goods {
  const goods = { catalogue: createCatalogue(now), prices: createPrices(now), stock: createStock(now) }
  const lists = [...new Set(STORES.map(({ Currency }) => Currency))].map((currency) =>
    goods.prices.create(`Retail ${currency}`, currency),
  )
  const colours = new Map<string, number>()
  for (const article of [...ASSORTMENT, UNKNOWN_ARTICLE]) {
    const colour = (colours.get(article.number) ?? 0) + 1
    colours.set(article.number, colour)
    const { productid, sizes } = goods.catalogue.create(productOf(article, String(colour).padStart(2, '0')))
    for (const { pricelistId } of lists)
      goods.prices.set(pricelistId, [{ productid, price: toAmount(article.cents), ...OPEN }])
    for (const { StockId } of STOCKS) {
      goods.prices.setCost(StockId, productid, toAmount(Math.round(article.cents * 0.4)))
      for (const { identity } of sizes) goods.stock.add(StockId, identity, FIRST_STOCK)
    }
  }
  if (seedCatalogue) seedGoods(goods, lists)
  return goods
}

/** Takes goods from a stock, or puts them there; gives the level after it. What the catalogue does not have is 0. */
export function putGoods({ catalogue, stock }: Goods, store: StockPlace, article: Article, quantity: number): number {
  const item = catalogue.find({ gtin: article.gtin }) ?? catalogue.find({ externalSKU: article.sku })
  return item ? stock.add(store.StockId, item.size.identity, quantity) : 0
}

function productOf({ sku, gtin, name, brand, number, colour, size, group, season, cents }: Article, variant: string) {
  return {
    extId: `${number}-${variant}`,
    createProductSpecificSize: true,
    name,
    number,
    variant,
    groupName: group,
    color: colour,
    season,
    brand,
    price: toAmount(cents),
    isWebAvailable: true,
    images: [`https://images.nordlys.example/${number}.jpg`],
    productSizes: [{ externalSKU: sku, gtin, label: size, labelSortIndex: '0,1' }],
  }
}
