import { z } from 'zod'
import type { SaleLine } from '../../../domain/books/sale.ts'
import { spellingsOf } from '../../../domain/catalogue/article-number.ts'
import type { ShopApi } from '../api.ts'
import { flag, id, optional, text, word } from '../document.ts'

const Product = z.object({
  id,
  parent_id: optional(id),
  type: word,
  sku: text,
  global_unique_id: text,
  manage_stock: z.unknown(),
})

type Product = z.output<typeof Product>

export type ProductReference = { product_id: number } | { product_id: number; variation_id: number }

type Wanted = Pick<SaleLine, 'sku' | 'gtin'>

const asWritten = (own: string | null) => (own === null ? [] : [own.trim()])
const spellings = (own: string | null) => (own === null ? [] : spellingsOf(own))

/** The surest first. Many shops have the GTIN as SKU, some with other leading zeros. */
const WAYS = [
  { query: 'sku', wanted: ({ sku }: Wanted) => asWritten(sku), found: ({ sku }: Product) => sku },
  {
    query: 'global_unique_id',
    wanted: ({ gtin }: Wanted) => asWritten(gtin),
    found: ({ global_unique_id: gtin }: Product) => gtin,
  },
  { query: 'sku', wanted: ({ gtin }: Wanted) => asWritten(gtin), found: ({ sku }: Product) => sku },
  {
    query: 'global_unique_id',
    wanted: ({ gtin }: Wanted) => spellings(gtin),
    found: ({ global_unique_id: gtin }: Product) => gtin,
  },
  { query: 'sku', wanted: ({ gtin }: Wanted) => spellings(gtin), found: ({ sku }: Product) => sku },
]

/** Headings: what is sold is another product. */
const NOT_SOLD = new Set(['variable', 'grouped', 'external'])

export function isSold(type: string): boolean {
  return !NOT_SOLD.has(type)
}

/** Fits into a URL. */
const AT_ONCE = 25

/** By SKU, else by GTIN. Null: none that can be sold, or several that spell the GTIN differently. */
export async function findProducts(
  api: ShopApi,
  lines: readonly Wanted[],
  signal: AbortSignal,
): Promise<(ProductReference | null)[]> {
  return (await findStocked(api, lines, signal)).map((found) => found?.product ?? null)
}

export interface StockedProduct {
  product: ProductReference
  isUncountedVariation: boolean
}

export async function findStocked(
  api: ShopApi,
  lines: readonly Wanted[],
  signal: AbortSignal,
): Promise<(StockedProduct | null)[]> {
  const found: (StockedProduct | null)[] = lines.map(() => null)
  for (const way of WAYS) {
    const missing = lines.flatMap((line, index) => (found[index] ? [] : way.wanted(line).filter((one) => one !== '')))
    const products = await fetchAll(api, way.query, [...new Set(missing)], signal)
    // A shop that ignores the parameter answers with any products.
    const sold = products.filter(({ type }) => isSold(type)).toReversed()
    const byText = new Map(sold.flatMap((one) => (way.found(one) ? [[plain(way.found(one)), one] as const] : [])))
    for (const [index, line] of lines.entries()) {
      const own = new Set(way.wanted(line).flatMap((one) => byText.get(plain(one)) ?? []))
      const [product] = own.size === 1 ? own : []
      if (product) found[index] ??= stocked(product)
    }
  }
  return found
}

async function fetchAll(api: ShopApi, query: string, texts: string[], signal: AbortSignal): Promise<Product[]> {
  const all: Product[] = []
  for (let start = 0; start < texts.length; start += AT_ONCE) {
    const asked = {
      [query]: texts.slice(start, start + AT_ONCE).join(','),
      per_page: '100',
      orderby: 'id',
      order: 'asc',
      _fields: 'id,parent_id,type,sku,global_unique_id,manage_stock',
    }
    for (const one of (await api.get('/products', asked, z.array(Product), signal)).value) all.push(one)
  }
  return all
}

function stocked(product: Product): StockedProduct {
  const isUncountedVariation = product.type.endsWith('variation') && flag.parse(product.manage_stock) !== true
  return { product: referenceTo(product), isUncountedVariation }
}

function referenceTo({ id, parent_id, type }: Product): ProductReference {
  return type.endsWith('variation') && parent_id ? { product_id: parent_id, variation_id: id } : { product_id: id }
}

/** As the shop's database compares. */
function plain(text: string | null | undefined): string {
  return text?.trim().toLowerCase() ?? ''
}
