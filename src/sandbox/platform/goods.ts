import { toAmount } from './amounts.ts'
import { type Article, ASSORTMENT, UNKNOWN_ARTICLE } from './assortment.ts'
import { type Catalogue, createCatalogue, type Item } from './goods-catalogue.ts'
import { createPrices, OPEN, type Prices } from './goods-prices.ts'
import { createStock, type Stock } from './goods-stock.ts'
import { STORES, type Store } from './stores.ts'

/** Products, prices and stock: what the platform knows of goods. */
export interface Goods {
  catalogue: Catalogue
  prices: Prices
  stock: Stock
}

/** Everybody begins with so many of each size. */
const FIRST_STOCK = 30

/** What the tills sell, with its prices in each currency and some of it in each stock. */
export function createGoods(now: () => number): Goods {
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
    for (const { StockId } of STORES) {
      goods.prices.setCost(StockId, productid, toAmount(Math.round(article.cents * 0.4)))
      for (const { identity } of sizes) goods.stock.add(StockId, identity, FIRST_STOCK)
    }
  }
  return goods
}

/** Takes goods from a stock, or puts them there; gives the level after it. What the catalogue does not have is 0. */
export function putGoods({ catalogue, stock }: Goods, store: Store, article: Article, quantity: number): number {
  const item = catalogue.find({ gtin: article.gtin }) ?? catalogue.find({ externalSKU: article.sku })
  return item ? stock.add(store.StockId, item.size.identity, quantity) : 0
}

/** A size as the tills know it. */
export function articleOfItem({ variant, size }: Item): Article {
  return {
    sku: size.externalSKU ?? '',
    gtin: size.gtin ?? '',
    name: variant.name,
    brand: variant.brand ?? '',
    number: variant.number ?? '',
    colour: variant.color ?? '',
    size: size.label,
    group: variant.groupName ?? '',
    cents: Math.round((variant.price ?? 0) * 100),
    vatRate: 0.25,
  }
}

function productOf({ sku, gtin, name, brand, number, colour, size, group, cents }: Article, variant: string) {
  return {
    extId: `${number}-${variant}`,
    createProductSpecificSize: true,
    name,
    number,
    variant,
    groupName: group,
    color: colour,
    season: 'AW26',
    brand,
    price: toAmount(cents),
    isWebAvailable: true,
    images: [`https://images.nordlys.example/${number}.jpg`],
    productSizes: [{ externalSKU: sku, gtin, label: size, labelSortIndex: '0,1' }],
  }
}
