import { z } from 'zod'
import { partsOf } from '../../../lib/collections.ts'
import { findArticles, type WantedArticle } from '../../shared/find-articles.ts'
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

/** Containers of other products. */
const NOT_SOLD = new Set(['variable', 'grouped', 'external'])

export function isSold(type: string): boolean {
  return !NOT_SOLD.has(type)
}

/** A URL has room for these. */
const BATCH_SIZE = 25

export async function findProducts(
  api: ShopApi,
  lines: readonly WantedArticle[],
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
  lines: readonly WantedArticle[],
  signal: AbortSignal,
): Promise<(StockedProduct | null)[]> {
  const found = await findArticles(lines, {
    fetch: (field, texts) => fetchAll(api, FIELDS[field], texts, signal),
    textOf: (product, field) => product[FIELDS[field]],
    normalize: (text) => text.trim().toLowerCase(),
  })
  return found.map((product) => product && stocked(product))
}

const FIELDS = { sku: 'sku', gtin: 'global_unique_id' } as const

async function fetchAll(api: ShopApi, query: string, texts: string[], signal: AbortSignal): Promise<Product[]> {
  const all: Product[] = []
  for (const some of partsOf(texts, BATCH_SIZE)) {
    const asked = {
      [query]: some.join(','),
      per_page: '100',
      orderby: 'id',
      order: 'asc',
      _fields: 'id,parent_id,type,sku,global_unique_id,manage_stock',
    }
    all.push(...(await api.get('/products', asked, z.array(Product), signal)).value)
  }
  // A shop that ignores the parameter answers with any products.
  return all.filter(({ type }) => isSold(type))
}

function stocked(product: Product): StockedProduct {
  const isUncountedVariation = product.type.endsWith('variation') && flag.parse(product.manage_stock) !== true
  return { product: referenceTo(product), isUncountedVariation }
}

function referenceTo({ id, parent_id, type }: Product): ProductReference {
  return type.endsWith('variation') && parent_id ? { product_id: parent_id, variation_id: id } : { product_id: id }
}
