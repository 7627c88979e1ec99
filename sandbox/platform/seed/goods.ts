import { namesOf } from '../goods/catalogue.ts'
import type { Goods } from '../goods/held.ts'
import { type Cost, OPEN, type PriceLine, type PriceList } from '../goods/prices.ts'
import type { Variant } from '../goods/product.ts'
import type { Level } from '../goods/stock.ts'
import { STOCKS, WEB_STOCK } from '../stores.ts'
import { SEEDED_AT, seedProducts } from './products.ts'

interface Seeds {
  products: readonly Variant[]
  names: readonly (readonly [name: string, productid: number])[]
  prices: readonly (readonly [productid: number, lines: readonly PriceLine[]])[]
  stocks: readonly { stockId: number; levels: readonly Level[]; costs: readonly Cost[] }[]
}

/** Made once for all platforms of a process, and only when one wants them; nobody changes them in place. */
let made: Seeds | null = null

/** Puts the seeded products into the catalogue, with a price in each list, a cost and a level in each stock. */
export function seedGoods({ catalogue, prices, stock }: Goods, lists: readonly PriceList[]): void {
  made ??= makeSeeds()
  catalogue.load(made.products, made.names)
  for (const { pricelistId } of lists) prices.load(pricelistId, made.prices)
  for (const { stockId, levels, costs } of made.stocks) {
    stock.load(stockId, levels)
    prices.loadCosts(stockId, costs)
  }
}

function makeSeeds(): Seeds {
  const products = seedProducts()
  return {
    products,
    names: products.flatMap((product) => namesOf(product).map((name) => [name, product.productid] as const)),
    prices: products.map(({ productid, price }) => [productid, [{ productid, price: price ?? 0, ...OPEN }]]),
    stocks: STOCKS.map((stock, place) => ({
      stockId: stock.StockId,
      // The online store has everything, each store two variants of five.
      levels: products
        .filter(({ productid }) => stock === WEB_STOCK || (productid + place) % 5 < 2)
        .flatMap((product) => levelsOf(product, stock.StockId)),
      costs: products.map(({ productid, cost }) => ({
        stockId: stock.StockId,
        productid,
        price: cost ?? 0,
        updatedAt: SEEDED_AT,
      })),
    })),
  }
}

function levelsOf({ sizes }: Variant, stockId: number): Level[] {
  return sizes.map(({ identity }) => ({
    stockId,
    identity,
    quantity: stockId === WEB_STOCK.StockId ? 20 : 1 + ((Number(identity) + stockId) % 9),
    changedAt: SEEDED_AT,
  }))
}
