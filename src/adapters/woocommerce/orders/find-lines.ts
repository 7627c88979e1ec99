import { isSameArticle, ofArticle } from '../../../domain/catalogue/article-number.ts'
import type { OrderLineUpdate } from '../../../domain/orders/order-update.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import { META, metaOf, type ShopLine, type ShopOrder } from '../people/shop-order.ts'
import { findProducts } from '../stock/products.ts'
import type { OrderContext } from './order-context.ts'

type Wanted = Pick<OrderLineUpdate, 'rowId' | 'gtin'>

/**
 * The lines of an order that are meant: by the shop's own id of the line, which the till's order lookup gave, else by the
 * till's, else by the GTIN. Several where the same article stands on several.
 */
export async function findLines(
  { api, destination }: OrderContext,
  order: ShopOrder,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<ShopLine[]> {
  const { rowId, gtin } = wanted
  const known = [
    (line: ShopLine) => rowId !== null && String(line.id) === rowId && fits(line, gtin),
    (line: ShopLine) => rowId !== null && metaOf(line, META.row) === rowId,
  ]
  for (const is of known) {
    const found = order.line_items.filter(is)
    if (found.length > 0) return found
  }
  const named = gtin === null ? [] : ofArticle(order.line_items, gtinsOf, gtin)
  if (named.length > 0) return named
  const [product] = gtin === null ? [] : await findProducts(api, [{ sku: null, gtin }], signal)
  const sold = product && ('variation_id' in product ? product.variation_id : product.product_id)
  const found = sold ? order.line_items.filter((line) => (line.variation_id || line.product_id) === sold) : []
  if (found.length > 0) return found
  throw new PermanentError(
    `${destination}: order ${order.number} has no line ${rowId ?? '(without id)'} with GTIN ${gtin ?? 'unknown'}. Put the GTIN into the shop's product (or its SKU), then retry; else do it in the shop and skip this.`,
    { code: 'no-such-line' },
  )
}

/** A row's id may by chance be the id of another line: then the GTIN says so. */
function fits(line: ShopLine, gtin: string | null): boolean {
  const known = [metaOf(line, META.gtin), line.global_unique_id].filter(Boolean)
  return gtin === null || known.length === 0 || gtinsOf(line).some((own) => isSameArticle(own, gtin))
}

/** The names that a line has for its article. */
export function gtinsOf(line: ShopLine): (string | null | undefined)[] {
  return [metaOf(line, META.gtin), line.global_unique_id, line.sku]
}

/** All that may be the GTIN of what these lines are of, by the shop's own lines, and by those that the platform names. */
export function articlesOf(lines: readonly ShopLine[], named: readonly Pick<OrderLineUpdate, 'gtin'>[]): string[] {
  return [...lines.flatMap(gtinsOf), ...named.map(({ gtin }) => gtin)].flatMap((gtin) => gtin || [])
}
