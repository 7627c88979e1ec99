import type { Catalogue } from './catalogue.ts'
import type { Prices } from './prices.ts'
import type { Stock } from './stock.ts'

/** Products, prices and stock: what the platform knows of goods. */
export interface Goods {
  catalogue: Catalogue
  prices: Prices
  stock: Stock
}
