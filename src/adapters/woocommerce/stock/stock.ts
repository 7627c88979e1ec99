import { z } from 'zod'
import { PermanentError, RetryLaterError } from '../../../domain/values/errors.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import type { Batch, BatchResult, Effect } from '../../../ports/attempt.ts'
import type { StockLevel, StockPort } from '../../../ports/stock.ts'
import type { ShopApi } from '../api.ts'
import type { ProductReference, StockedProduct } from './products.ts'
import { createLevelReader } from './stock-levels.ts'
import { createProductMemory } from './stock-products.ts'

/** WooCommerce's limit of a batch. */
const BATCH_SIZE = 100

const NO_PRODUCT =
  'the shop has no product with this SKU or GTIN, or several that write the GTIN in other ways: nothing was sent'

/** With a count of its own such a variation would be sold out, or sold beyond what there is of its product. */
const LEFT_ALONE =
  'a variation that the shop does not count by itself (manage_stock off, or its product counts for it): left as it is; let the shop count it, or set countVariations of this destination'

const Answered = z.object({
  id: z.coerce.number(),
  error: z.object({ code: z.string() }).nullish(),
  manage_stock: z.unknown(),
  stock_quantity: z.unknown(),
})

type Answered = z.output<typeof Answered>

/** The product of each item as it is now, or why it was refused; in their order. */
const Answer = z.object({ update: z.array(Answered).default([]) })

/** An item of a batch, and where in it. */
interface Placed {
  index: number
  product: ProductReference
  level: number
}

interface WooStockOptions {
  now?: () => number
  /** How many products are remembered. */
  remembered?: number
  /** Count variations, too, that the shop does not count by themselves. */
  countVariations?: boolean
}

/** Levels of the shop's products: those of products in one request, those of variations in one for each product. */
export function createWooStock(
  api: ShopApi,
  { now = Date.now, remembered, countVariations = false }: WooStockOptions = {},
): StockPort {
  const memory = createProductMemory(api, now, remembered)
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
      const placed = products.flatMap((found, index) =>
        found && !isLeft(found) ? [{ index, product: found.product, level: shopLevel(levels, index) }] : [],
      )
      for (const [path, group] of Map.groupBy(placed, ({ product }) => pathOf(product)))
        for (let start = 0; start < group.length; start += BATCH_SIZE) {
          const part = group.slice(start, start + BATCH_SIZE)
          const written = await write(path, part, batch, signal)
          part.forEach(({ index }, at) => {
            results[index] =
              written[at] ?? new RetryLaterError('the shop did not say what became of it', { code: 'no-result' })
          })
        }
      return results
    },
  }

  /** A request that fails as a whole is said of each item in it: what other requests wrote stands. */
  async function write(
    path: string,
    group: Placed[],
    batch: Batch<StockLevel>,
    signal: AbortSignal,
  ): Promise<BatchResult> {
    // The later of two levels of one article counts.
    const update = [...new Map(group.map((one) => [idOf(one.product), one.level]))].map(([id, level]) => {
      return { id, manage_stock: true, stock_quantity: level }
    })
    try {
      const answer = await api.write('POST', path, { update }, Answer, signal)
      const said = new Map(answer.update.map((one) => [one.id, one]))
      return group.map(({ index, product, level }) =>
        resultOf(said.get(idOf(product)), product, level, batch[index]?.argument),
      )
    } catch (error) {
      return group.map(() => (error instanceof Error ? error : new Error(String(error))))
    }
  }

  function resultOf(
    said: Answered | undefined,
    product: ProductReference,
    level: number,
    argument: StockLevel | undefined,
  ): Effect | Error {
    const id = idOf(product)
    const code = said?.error?.code
    if (said && code === undefined) return isKept(said) ? { note: `product ${id}: ${level}` } : notKept(id)
    const shown = code === undefined ? 'no answer about it' : code.replaceAll(/[^\w.-]/g, '').slice(0, 80)
    // Deleted since it was looked up, or answered in a way that nobody knows: it is looked up again.
    if (argument) memory.forget(argument)
    if (code === undefined || code.includes('invalid')) {
      return new RetryLaterError(`product ${id} of the shop: ${shown}`, { code: 'product-gone' })
    }
    return new PermanentError(`the shop refused the level of product ${id}: ${shown}`, { code: 'refused-level' })
  }
}

/**
 * A shop that does not manage stock answers as if all was well, and leaves the product as it is. Another quantity than was sent is no
 * sign of it: an order may have come in between.
 */
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

/** Whole pieces, and never below none: what was sold and not yet counted cannot be bought. */
function shopLevel(levels: readonly StockLevel[], index: number): number {
  const level: Decimal | undefined = levels[index]?.level
  return level === undefined || level.startsWith('-') ? 0 : Number(level.split('.')[0])
}
