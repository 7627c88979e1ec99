import type { z } from 'zod'
import { CollectionQuery, isWithin, sorted } from '../orders/collection.ts'
import { oneOf, text } from '../parameters.ts'
import type { SiteTime } from '../site-time.ts'
import { type Catalogue, type Product, sameText } from './catalogue.ts'

/** The parameters that `GET /products` and `GET /products/{id}/variations` read. */
export const ProductQuery = CollectionQuery.extend({
  sku: text.optional(),
  global_unique_id: text.optional(),
  orderby: oneOf('date', 'id', 'include', 'modified').default('date'),
})

export type ProductQuery = z.infer<typeof ProductQuery>

/** The products that a query names. Variations are among them only where a SKU or a GTIN is asked for. */
export function listProducts(catalogue: Catalogue, query: ProductQuery, time: SiteTime): Product[] {
  const withVariations = Boolean(query.sku || query.global_unique_id)
  const all = catalogue.all().filter((product) => withVariations || product.type !== 'variation')
  return select(all, query, time)
}

/** The variations of one product; none where there is no such product, which WooCommerce does not refuse. */
export function listVariations(catalogue: Catalogue, parent: number, query: ProductQuery, time: SiteTime): Product[] {
  return select(catalogue.variationsOf(parent), query, time)
}

function select(all: Product[], query: ProductQuery, time: SiteTime): Product[] {
  const found = all.filter(
    (product) =>
      isOneOf(product.sku, query.sku) &&
      isOneOf(product.globalUniqueId, query.global_unique_id) &&
      (!query.search || product.name.toLowerCase().includes(query.search.toLowerCase())) &&
      isWithin(product, query, time),
  )
  return sorted(found, query.orderby, query)
}

/** `A,B` asks for A, for B, and for the one that is called `A,B`. Spaces count. */
function isOneOf(value: string, asked: string | undefined): boolean {
  if (!asked) return true
  return [asked, ...asked.split(',')].some((one) => one !== '' && sameText(one, value))
}
