import { ofArticle } from '../../../domain/catalogue/article-number.ts'
import type { OrderLineUpdate } from '../../../domain/orders/order-update.ts'
import type { Goods } from '../../../domain/orders/which-order.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import { type Decimal, parseDecimal } from '../../../domain/values/money.ts'
import type { VendureOptions } from '../options.ts'
import { customField, type ShopLine, type ShopOrder } from './shop-order.ts'

/** The tills' name for a line's article: its GTIN, in its field or as the SKU. */
export function gtinOf({ productVariant }: ShopLine, { gtinField }: Pick<VendureOptions, 'gtinField'>): string {
  return customField(productVariant, gtinField) ?? productVariant.sku
}

/**
 * The shop's line of an event's: by its GTIN; by the row too where there are several, or no GTIN (a till that found the order
 * here names our row). Throws a PermanentError `no-line` where there is none.
 */
export function lineOf(
  order: ShopOrder,
  { rowId, gtin }: Pick<OrderLineUpdate, 'rowId' | 'gtin'>,
  options: Pick<VendureOptions, 'gtinField'>,
): ShopLine {
  const same = gtin === null ? [] : ofArticle(order.lines, (line) => [gtinOf(line, options)], gtin)
  const byRow = (lines: ShopLine[]) => lines.find(({ id }) => id === rowId)
  const found = same.length > 0 ? (byRow(same) ?? same[0]) : gtin === null ? byRow(order.lines) : undefined
  if (found) return found
  throw new PermanentError(`order ${order.code} has no line with the GTIN ${gtin ?? 'none'} (row ${rowId ?? 'none'})`, {
    code: 'no-line',
  })
}

/** How many of an article, or of a row, the order has. */
export function countOf(order: ShopOrder, { rowId, gtin }: Goods, options: Pick<VendureOptions, 'gtinField'>): Decimal {
  const lines =
    gtin === null
      ? order.lines.filter(({ id }) => id === rowId)
      : ofArticle(order.lines, (line) => [gtinOf(line, options)], gtin)
  return parseDecimal(lines.reduce((sum, { quantity }) => sum + quantity, 0))
}

/** Vendure counts in whole pieces. */
export function pieces(quantity: Decimal): number {
  if (/^[1-9]\d{0,8}$/.test(quantity)) return Number(quantity)
  throw new PermanentError(`a quantity of ${quantity} cannot be told to Vendure, which counts in whole pieces`, {
    code: 'no-pieces',
  })
}
