import type { z } from 'zod'
import { CollectionQuery, isWithin, sorted } from '../orders/collection.ts'
import { idList, oneOf, text } from '../parameters.ts'
import type { SiteTime } from '../site-time.ts'
import { type Catalogue, type Product, sameText } from './catalogue.ts'
import { stockStatus } from './product-json.ts'

/** The parameters that `GET /products` and `GET /products/{id}/variations` read. */
export const ProductQuery = CollectionQuery.extend({
  sku: text.optional(),
  global_unique_id: text.optional(),
  parent: idList.optional(),
  type: oneOf('simple', 'grouped', 'external', 'variable').optional(),
  stock_status: oneOf('instock', 'outofstock', 'onbackorder').optional(),
  orderby: oneOf('date', 'id', 'include', 'title', 'slug', 'modified').default('date'),
})

export type ProductQuery = z.infer<typeof ProductQuery>

/** The products that a query names. Variations are among them only where a SKU or a GTIN is asked for. */
export function listProducts(catalogue: Catalogue, query: ProductQuery, time: SiteTime): Product[] {
  const withVariations = Boolean(query.sku || query.global_unique_id)
  return select(
    catalogue.all().filter((product) => withVariations || product.type !== 'variation'),
    catalogue,
    query,
    time,
  )
}

/** The variations of one product; none where there is no such product, which WooCommerce does not refuse. */
export function listVariations(catalogue: Catalogue, parent: number, query: ProductQuery, time: SiteTime): Product[] {
  return select(catalogue.variationsOf(parent), catalogue, query, time)
}

function select(all: Product[], catalogue: Catalogue, query: ProductQuery, time: SiteTime): Product[] {
  const found = all.filter(
    (product) =>
      isOneOf(product.sku, query.sku) &&
      isOneOf(product.globalUniqueId, query.global_unique_id) &&
      (!query.parent?.length || query.parent.includes(product.parentId)) &&
      (query.type === undefined || product.type === query.type) &&
      (query.stock_status === undefined || stockStatus(product, catalogue) === query.stock_status) &&
      (!query.search || product.name.toLowerCase().includes(query.search.toLowerCase())) &&
      isWithin(product, query, time),
  )
  if (query.orderby !== 'title' && query.orderby !== 'slug') return sorted(found, query.orderby, query)
  const way = query.order === 'asc' ? 1 : -1
  return found.toSorted((one, other) => way * one.name.localeCompare(other.name))
}

/** `A,B` asks for A, for B, and for the one that is called `A,B`. Spaces count. */
function isOneOf(value: string, asked: string | undefined): boolean {
  if (!asked) return true
  return [asked, ...asked.split(',')].some((one) => one !== '' && sameText(one, value))
}
