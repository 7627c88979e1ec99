import type { Article } from '../goods/assortment.ts'
import { toText } from '../sales/amounts.ts'
import type { Moved, Sold } from '../sales/book.ts'
import { storeDay, storeTime } from '../sales/clock.ts'
import type { Stock } from '../stores.ts'
import type { Row } from './filter.ts'

/** How the columns of a set are read from what the platform knows, by their names. */
export type Columns<From> = Readonly<Record<string, (from: From) => Row[string]>>

/** The row of one thing. */
export function rowOf<From>(columns: Columns<From>, from: From): Row {
  return Object.fromEntries(Object.entries(columns).map(([name, read]) => [name, read(from)]))
}

/** A line of a sale. */
export interface SoldLine {
  sold: Sold
  line: Sold['receipt']['lines'][number]
  index: number
  /** The id of the line's article. */
  productId: number
}

/**
 * Returns are rows with a negative Qty (facts, §5 trap 10); decimals are texts (facts, §1b "Saleslines wire types"). The names of
 * the receipt's number, its POS and its order are not shown anywhere: these are ours.
 */
export const SALE_LINE: Columns<SoldLine> = {
  SALESLINEID: ({ sold, index }) => sold.saleId * 100 + index,
  SALEID: ({ sold }) => sold.saleId,
  SID: ({ sold }) => sold.saleId,
  STOREID_FK: ({ sold }) => sold.receipt.store.StoreId,
  STOCKID_FK: ({ sold }) => sold.receipt.store.StockId,
  PRODUCTID_FK: ({ productId }) => productId,
  PERSONID_FK: () => 55,
  CUSTOMERID_FK: ({ sold }) => sold.receipt.customer?.customerId ?? 0,
  SaleDate: ({ sold }) => `${storeDay(sold.instant, sold.receipt.store)}T00:00:00`,
  SaleDateTime: ({ sold }) => storeTime(sold.instant, sold.receipt.store),
  Qty: ({ line }) => toText(line.quantity * 100),
  Price: ({ line }) => toText(line.cents),
  FullPrice: ({ line }) => toText(line.article.cents),
  Discount: ({ line }) => toText(line.article.cents - line.cents),
  Cost: ({ line }) => toText(costOf(line.article)),
  VATPercent: ({ line }) => line.article.vatRate.toFixed(3),
  Currency: ({ sold }) => sold.receipt.store.Currency,
  IsVoided: () => false,
  POSID_FK: ({ sold }) => sold.receipt.posId,
  RECEIPTNO: ({ sold }) => sold.receipt.receiptNo,
  ORDERNO: ({ sold }) => sold.receipt.orderNo ?? '',
  Brand: ({ line }) => line.article.brand,
  Group: ({ line }) => line.article.group,
  Name: ({ line }) => line.article.name,
  Number: ({ line }) => line.article.number,
  Color: ({ line }) => line.article.colour,
  Season: ({ line }) => line.article.season,
  SizeLabel: ({ line }) => line.article.size,
  EAN: ({ line }) => line.article.gtin,
  Employee: () => 'Ola',
  Pos: ({ sold }) => `POS ${sold.receipt.posId % 10}`,
  Store: ({ sold }) => sold.receipt.store.StoreName,
  Stock: ({ sold }) => sold.receipt.store.StoreName,
  ReceiptLabel: ({ line }) => line.article.name,
  // Personal data is on every row: whoever does not want it selects columns (facts, §5 trap 8).
  FirstName: ({ sold }) => sold.receipt.customer?.firstName ?? '',
  LastName: ({ sold }) => sold.receipt.customer?.lastName ?? '',
  Email: ({ sold }) => sold.receipt.customer?.email ?? '',
  Phone: ({ sold }) => sold.receipt.customer?.phone ?? '',
}

/** The names of the id and of the type are not shown anywhere (facts, §1b): these are ours. */
export const MOVEMENT: Columns<Moved> = {
  STOCKMOVEMENTID: ({ movementId }) => movementId,
  EAN: ({ article }) => article.gtin,
  Qty: ({ quantity }) => quantity,
  Stockid: ({ store }) => store.StockId,
  Stock: ({ store }) => store.StoreName,
  MoveType: ({ type }) => TYPES.indexOf(type) + 1,
  MoveDateTime: ({ instant, store }) => storeTime(instant, store),
}

/** The pieces that a stock has of an article. */
export interface Level {
  store: Stock
  article: Article
  productId: number
  level: number
  /** How much of it is kept for somebody, now. */
  reserved: number
}

export const STOCK: Columns<Level> = {
  Productid: ({ productId }) => productId,
  Stockid: ({ store }) => store.StockId,
  StockName: ({ store }) => store.StoreName,
  StockExtId: ({ store }) => store.StoreNo,
  EAN: ({ article }) => article.gtin,
  Name: ({ article }) => article.name,
  Number: ({ article }) => article.number,
  Brand: ({ article }) => article.brand,
  Group: ({ article }) => article.group,
  Season: ({ article }) => article.season,
  SizeLabel: ({ article }) => article.size,
  Qty: ({ level }) => toText(level * 100),
  ReservedQty: ({ reserved }) => toText(reserved * 100),
  AvailableQty: ({ level, reserved }) => toText((level - reserved) * 100),
  Cost: ({ article }) => toText(costOf(article)),
  OutPrice: ({ article }) => toText(article.cents),
  RecommendedRetailPrice: ({ article }) => toText(article.cents),
}

/** In the order of the spec's list (Events 7), where the four codes that it shows are at their places. */
const TYPES = [
  'Sale',
  'Manual',
  'PurchaseOrderReceived',
  'Relocation',
  'Reconciliation',
  'Bestilling',
  'Cancelled',
  'PurchaseOrderOrdered',
]

/** Without VAT (facts, §5 trap 11). */
function costOf({ cents }: Article): number {
  return Math.round(cents * 0.4)
}
