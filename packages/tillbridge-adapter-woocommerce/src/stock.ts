import {
  asError,
  type BatchResult,
  chunksOf,
  type Decimal,
  type Effect,
  findArticles,
  type LevelPage,
  PermanentError,
  parseDecimal,
  RetryLaterError,
  type StockLevel,
  type StockPort,
  text as textOf,
  type WantedArticle,
} from 'tillbridge/adapter'
import { z } from 'zod'
import { lastPage, PAGE_SIZE, type ShopApi } from './api.ts'
import { amount, flag, id, optional, orNone, text, word } from './document.ts'
import type { WooCommerceOptions } from './options.ts'

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

function isSold(type: string): boolean {
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

interface StockedProduct {
  product: ProductReference
  isUncountedVariation: boolean
}

async function findStocked(
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
  for (const some of chunksOf(texts, BATCH_SIZE)) {
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

/** One request each. */
const PARENTS = 10
const Quantity = orNone<Decimal | null>(amount.transform(parseDecimal), null)

const Counted = z.object({
  id: z.number().int(),
  sku: text,
  global_unique_id: text,
  manage_stock: z.union([z.boolean(), z.string()]),
  stock_quantity: Quantity,
})

const ListedProduct = Counted.extend({ type: z.string() })

type Counted = z.output<typeof Counted>

/** Pages: `3`, then `3/120`: variations of products on page 3 above id 120. */
function createLevelReader(api: ShopApi): NonNullable<StockPort['readLevels']> {
  return async (_location, name, { signal }) => {
    const [page = 1, after = null] = (name ?? '1').split('/').map(Number)
    const { items: products, unread, isLast } = await list('/products', ListedProduct, page, signal)
    const waiting = products.filter(({ type, id }) => hasVariations(type) && id > (after ?? 0))
    const parents = waiting.slice(0, PARENTS)
    const own = after === null ? products.filter(({ type }) => isSold(type) && !hasVariations(type)) : []
    const levels = own.flatMap((product) => levelOf(product, null))
    const unreadHere = after === null ? [...unread] : []
    for (const parent of parents) {
      const variations = await variationsOf(parent.id, signal)
      for (const variation of variations.items) levels.push(...levelOf(variation, parent))
      unreadHere.push(...variations.unread)
    }
    const unreadPart = unreadHere.length > 0 ? { unread: unreadHere } : {}
    const last = parents.at(-1)
    if (last && waiting.length > parents.length) return { levels, next: `${page}/${last.id}`, ...unreadPart }
    return { levels, next: isLast ? null : String(page + 1), ...unreadPart }
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
    const answer = await api.get(path, asked, z.array(z.unknown()), signal)
    return { ...readable(path, item, answer.value), isLast: page >= lastPage(answer, page) }
  }
}

function readable<T>(path: string, item: z.ZodType<T>, listed: readonly unknown[]) {
  const [items, unread]: [T[], string[]] = [[], []]
  for (const one of listed) {
    const parsed = item.safeParse(one)
    if (parsed.success) items.push(parsed.data)
    else if (textOf(one, 'id') !== null) unread.push(textOf(one, 'sku') || `product ${textOf(one, 'id')}`)
  }
  if (items.length + unread.length === listed.length) return { items, unread }
  const message = `${path} of the shop lists what is no product of WooCommerce`
  throw new RetryLaterError(message, { code: 'unreadable-answer' })
}

function hasVariations(type: string): boolean {
  return type.startsWith('variable')
}

/** A variation shows its product's SKU and GTIN where it has none. */
function levelOf(one: Counted, parent: Counted | null): LevelPage['levels'] {
  const sku = one.sku === parent?.sku ? null : one.sku
  const gtin = one.global_unique_id === parent?.global_unique_id ? null : one.global_unique_id
  if (one.manage_stock !== true || one.stock_quantity === null || (sku === null && gtin === null)) return []
  return [{ gtin, sku, level: one.stock_quantity }]
}

type Article = Pick<StockLevel, 'sku' | 'gtin'>

/** Milliseconds. */
const MEMORY_TTL = 10 * 60_000
const MAX_PRODUCTS = 50_000

function createProductMemory(api: ShopApi) {
  let known = new Map<string, StockedProduct>()
  let expires = Date.now() + MEMORY_TTL

  return {
    async find(articles: readonly Article[], signal: AbortSignal): Promise<(StockedProduct | null)[]> {
      if (Date.now() > expires || known.size > MAX_PRODUCTS) {
        known = new Map()
        expires = Date.now() + MEMORY_TTL
      }
      const remembered = articles.map((article) => known.get(keyOf(article)) ?? null)
      const missing = articles.filter((_, index) => remembered[index] === null)
      const found = missing.length > 0 ? await findStocked(api, missing, signal) : []
      missing.forEach((article, index) => {
        const product = found[index]
        if (product) known.set(keyOf(article), product)
      })
      return remembered.map((product) => product ?? found.shift() ?? null)
    },
    discard(article: Article): void {
      known.delete(keyOf(article))
    },
  }
}

function keyOf({ sku, gtin }: Article): string {
  return JSON.stringify([sku, gtin])
}

const LEVELS_PER_REQUEST = 100

const NO_PRODUCT =
  'the shop has no product with this SKU or GTIN, or several that write the GTIN in other ways: nothing was sent'

const LEFT_ALONE =
  'a variation that the shop does not count by itself (manage_stock off, or its product counts for it): left as it is; let the shop count it, or set countVariations of this destination'

const Answered = z.object({
  id: z.coerce.number(),
  error: z.object({ code: z.string() }).nullish(),
  manage_stock: z.unknown(),
  stock_quantity: z.unknown(),
})

type Answered = z.output<typeof Answered>

const Answer = z.object({ update: z.array(Answered).default([]) })

interface Placed {
  index: number
  article: StockLevel
  product: ProductReference
}

export function createWooStock(
  api: ShopApi,
  { countVariations }: Pick<WooCommerceOptions, 'countVariations'>,
): StockPort {
  const memory = createProductMemory(api)
  return {
    readLevels: createLevelReader(api),
    async setLevels(batch) {
      const signal = batch[0]?.attempt.signal
      if (!signal) return []
      const levels = batch.map(({ argument }) => argument)
      const products = await memory.find(levels, signal)
      const isLeft = (found: StockedProduct) => found.isUncountedVariation && !countVariations
      const results: BatchResult = products.map((found) => ({
        note: found && isLeft(found) ? `product ${idOf(found.product)}: ${LEFT_ALONE}` : NO_PRODUCT,
      }))
      const placed = levels.flatMap((article, index): Placed[] => {
        const found = products[index]
        return found && !isLeft(found) ? [{ index, article, product: found.product }] : []
      })
      for (const [path, group] of Map.groupBy(placed, ({ product }) => pathOf(product)))
        for (const part of chunksOf(group, LEVELS_PER_REQUEST)) {
          const answer = await write(path, part, signal)
          for (const one of part)
            results[one.index] = answer instanceof Error ? answer : resultOf(answer.get(idOf(one.product)), one)
        }
      return results
    },
  }

  async function write(path: string, group: Placed[], signal: AbortSignal): Promise<Map<number, Answered> | Error> {
    const levels = new Map(group.map(({ product, article }) => [idOf(product), shopLevel(article)]))
    const update = [...levels].map(([id, stock_quantity]) => ({ id, manage_stock: true, stock_quantity }))
    try {
      const answer = await api.write('POST', path, { update }, Answer, signal)
      return new Map(answer.update.map((one) => [one.id, one]))
    } catch (error) {
      return asError(error)
    }
  }

  function resultOf(answered: Answered | undefined, { product, article }: Placed): Effect | Error {
    const id = idOf(product)
    const code = answered?.error?.code
    if (answered && code === undefined)
      return isKept(answered) ? { note: `product ${id}: ${shopLevel(article)}` } : notKept(id)
    const shown = code === undefined ? 'no answer about it' : code.replaceAll(/[^\w.-]/g, '').slice(0, 80)
    memory.discard(article)
    if (code === undefined || code.includes('invalid'))
      return new RetryLaterError(`product ${id} of the shop: ${shown}`, { code: 'product-gone' })
    return new PermanentError(`the shop refused the level of product ${id}: ${shown}`, { code: 'refused-level' })
  }
}

/** A shop without stock management answers as if all was well. */
function isKept({ manage_stock: managed, stock_quantity: quantity }: Answered): boolean {
  return managed === undefined || (managed === true && quantity !== null)
}

function notKept(id: number): PermanentError {
  return new PermanentError(
    `the shop answered that all is well, and did not keep the level of product ${id}: turn on WooCommerce → Settings → Products → Inventory → Enable stock management, then retry this`,
    { code: 'level-not-kept' },
  )
}

function idOf(product: ProductReference): number {
  return 'variation_id' in product ? product.variation_id : product.product_id
}

function pathOf(product: ProductReference): string {
  return 'variation_id' in product ? `/products/${product.product_id}/variations/batch` : '/products/batch'
}

function shopLevel({ level }: StockLevel): number {
  return level.startsWith('-') ? 0 : Number(level.split('.')[0])
}
