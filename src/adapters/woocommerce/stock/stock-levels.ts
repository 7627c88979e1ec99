import { z } from 'zod'
import { RetryLaterError } from '../../../domain/values/errors.ts'
import { text } from '../../../domain/values/field.ts'
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
    const { items: products, unread, isLast } = await list('/products', Product, page, signal)
    const waiting = products.filter(({ type, id }) => hasVariations(type) && id > (after ?? 0))
    const parents = waiting.slice(0, PARENTS)
    const own = after === null ? products.filter(({ type }) => isSold(type) && !hasVariations(type)) : []
    const levels = own.flatMap((product) => levelOf(product, null))
    // Those of the page itself are told with its products.
    const unreadHere = after === null ? [...unread] : []
    for (const parent of parents) {
      const variations = await variationsOf(parent.id, signal)
      for (const variation of variations.items) levels.push(...levelOf(variation, parent))
      unreadHere.push(...variations.unread)
    }
    const told = unreadHere.length > 0 ? { unread: unreadHere } : {}
    const last = parents.at(-1)
    if (last && waiting.length > parents.length) return { levels, next: `${page}/${last.id}`, ...told }
    return { levels, next: isLast ? null : String(page + 1), ...told }
  }

  async function variationsOf(id: number, signal: AbortSignal) {
    const [all, unread]: [Counted[], string[]] = [[], []]
    for (let page = 1; ; page += 1) {
      const listed = await list(`/products/${id}/variations`, Counted, page, signal)
      for (const one of listed.items) all.push(one)
      unread.push(...listed.unread)
      if (listed.isLast) return { items: all, unread }
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
    const { value, headers } = await api.get(path, asked, z.array(z.unknown()), signal)
    // Products that the key may not see are left out of their page: a page that is not full need not be the last.
    const pages = Number(headers['x-wp-totalpages'] ?? Number.NaN)
    return { ...readable(path, item, value), isLast: Number.isNaN(pages) ? value.length < PAGE_SIZE : page >= pages }
  }
}

/** One that a plugin has changed fails no others. What has no id is no product: something else answers. */
function readable<T>(path: string, item: z.ZodType<T>, listed: readonly unknown[]) {
  const [items, unread]: [T[], string[]] = [[], []]
  for (const one of listed) {
    const parsed = item.safeParse(one)
    if (parsed.success) items.push(parsed.data)
    else if (text(one, 'id') !== null) unread.push(text(one, 'sku') || `product ${text(one, 'id')}`)
  }
  if (items.length + unread.length === listed.length) return { items, unread }
  const message = `${path} of the shop lists what is no product of WooCommerce`
  throw new RetryLaterError(message, { code: 'unreadable-answer' })
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
