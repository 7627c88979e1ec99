import { z } from 'zod'
import { type Decimal, parseDecimal } from '../../../domain/values/money.ts'
import type { LevelPage, StockPort } from '../../../ports/stock.ts'
import type { ShopApi } from '../api.ts'
import { isSold } from './products.ts'

/** The most that WooCommerce gives at once. */
const PAGE_SIZE = 100

/** Products whose variations are read for one page of levels. Each is a request, and somebody waits for the page. */
const PARENTS = 10

const Text = z
  .string()
  .nullish()
  .transform((text) => text?.trim() || null)

/** Plugins let a shop count in parts of a piece. */
const Quantity = z.unknown().transform((value, context): Decimal | null => {
  if (value === undefined || value === null || value === '') return null
  try {
    return parseDecimal(value)
  } catch {
    context.addIssue({ code: 'custom' })
    return z.NEVER
  }
})

const Counted = z.object({
  id: z.number().int(),
  sku: Text,
  global_unique_id: Text,
  /** `parent`: a variation that the shop counts together with its siblings. */
  manage_stock: z.union([z.boolean(), z.string()]),
  stock_quantity: Quantity,
})

const Product = Counted.extend({ type: z.string() })

type Counted = z.output<typeof Counted>

/**
 * Levels of the shop, a page of its products at a time, oldest first, and then their variations, of a few products at a time.
 * A page is named `3`, or `3/120`: variations of the products on page 3 whose id is above 120.
 */
export function createLevelReader(api: ShopApi): NonNullable<StockPort['readLevels']> {
  return async (_location, name, { signal }) => {
    const [page = 1, after = null] = (name ?? '1').split('/').map(Number)
    const { items: products, isLast } = await list('/products', Product, page, signal)
    const waiting = products.filter(({ type, id }) => hasVariations(type) && id > (after ?? 0))
    const parents = waiting.slice(0, PARENTS)
    const own = after === null ? products.filter(({ type }) => isSold(type) && !hasVariations(type)) : []
    const levels = own.flatMap((product) => levelOf(product, null))
    for (const parent of parents)
      for (const variation of await variationsOf(parent.id, signal)) levels.push(...levelOf(variation, parent))
    const last = parents.at(-1)
    if (last && waiting.length > parents.length) return { levels, next: `${page}/${last.id}` }
    return { levels, next: isLast ? null : String(page + 1) }
  }

  async function variationsOf(id: number, signal: AbortSignal): Promise<Counted[]> {
    const all: Counted[] = []
    for (let page = 1; ; page += 1) {
      const { items, isLast } = await list(`/products/${id}/variations`, Counted, page, signal)
      for (const one of items) all.push(one)
      if (isLast) return all
    }
  }

  async function list<T>(path: string, item: z.ZodType<T>, page: number, signal: AbortSignal) {
    const asked = {
      per_page: String(PAGE_SIZE),
      page: String(page),
      orderby: 'id',
      order: 'asc',
      _fields: 'id,type,sku,global_unique_id,manage_stock,stock_quantity',
    }
    const { value: items, headers } = await api.get(path, asked, z.array(item), signal)
    // Products that the key may not see are left out of their page: a page that is not full need not be the last.
    const pages = Number(headers['x-wp-totalpages'] ?? Number.NaN)
    return { items, isLast: Number.isNaN(pages) ? items.length < PAGE_SIZE : page >= pages }
  }
}

function hasVariations(type: string): boolean {
  return type.startsWith('variable')
}

/** A variation without a SKU or GTIN of its own shows its product's, which none of its siblings can be told apart by. */
function levelOf(one: Counted, parent: Counted | null): LevelPage['levels'] {
  const sku = one.sku === parent?.sku ? null : one.sku
  const gtin = one.global_unique_id === parent?.global_unique_id ? null : one.global_unique_id
  if (one.manage_stock !== true || one.stock_quantity === null || (sku === null && gtin === null)) return []
  return [{ gtin, sku, level: one.stock_quantity }]
}
