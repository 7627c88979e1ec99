import { amountText } from '../amount.ts'
import type { SiteTime } from '../site-time.ts'
import type { Catalogue, Product } from './catalogue.ts'

interface Means {
  catalogue: Catalogue
  time: SiteTime
  api: string
  base: string
}

/** A product or variation as `GET /products/{id}` shows it: the fields that an integrator reads. */
export function productJson(product: Product, { catalogue, time, api, base }: Means): Record<string, unknown> {
  const price = amountText(product.price)
  const holder = catalogue.stockHolder(product)
  const slug = product.name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')
  return {
    id: product.id,
    name: product.name,
    slug,
    permalink: `${base}/product/${slug}/`,
    date_created: time.local(product.createdAt),
    date_created_gmt: time.gmt(product.createdAt),
    date_modified: time.local(product.modifiedAt),
    date_modified_gmt: time.gmt(product.modifiedAt),
    type: product.type,
    status: 'publish',
    catalog_visibility: 'visible',
    // A variation without one shows its product's.
    sku: product.sku || (catalogue.get(product.parentId)?.sku ?? ''),
    global_unique_id: product.globalUniqueId,
    price,
    regular_price: product.type === 'variable' ? '' : price,
    sale_price: '',
    on_sale: false,
    purchasable: true,
    virtual: false,
    downloadable: false,
    tax_status: 'taxable',
    tax_class: product.taxClass,
    manage_stock: holder === null ? false : holder === product ? true : 'parent',
    stock_quantity: holder?.stock ?? null,
    backorders: 'no',
    stock_status: stockStatus(product, catalogue),
    parent_id: product.parentId,
    variations: catalogue.variationsOf(product.id).map(({ id }) => id),
    meta_data: [],
    _links: { self: [{ href: `${api}/products/${product.id}` }], collection: [{ href: `${api}/products` }] },
  }
}

function stockStatus(product: Product, catalogue: Catalogue): 'instock' | 'outofstock' {
  const holder = catalogue.stockHolder(product)
  return holder === null || (holder.stock ?? 0) > 0 ? 'instock' : 'outofstock'
}
