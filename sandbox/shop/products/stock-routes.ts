import type { Router } from 'express'
import { z } from 'zod'
import { mixed } from '../parameters.ts'
import { RestError } from '../rest-error.ts'
import type { SiteTime } from '../site-time.ts'
import type { Call, createServe, Route } from '../wordpress.ts'
import type { Catalogue, Product } from './catalogue.ts'
import { productJson } from './product-json.ts'

interface Means {
  catalogue: Catalogue
  time: SiteTime
  base: () => string
}

/** WooCommerce's default (`woocommerce_rest_batch_items_limit`). */
const MAX = 100

/** Checked by nobody: a batch hands its items on as they are. */
const Item = z.looseObject({ id: mixed, manage_stock: mixed, stock_quantity: mixed })
const Batch = z.object({ create: z.array(mixed), update: z.array(Item), delete: z.array(mixed) }).partial()

type Item = z.output<typeof Item>

/** Adds the two batch routes that stock is written by; of an item they read the stock, and nothing else. */
export function addStockRoutes(
  router: Router,
  { catalogue, time, base }: Means,
  serve: ReturnType<typeof createServe>,
) {
  const show = (product: Product) =>
    productJson(product, { catalogue, time, base: base(), api: `${base()}/wp-json/wc/v3` })

  router.post('/products/batch', serve(batch(writeProduct)))
  router.post('/products/:id/variations/batch', serve(batch(writeVariation)))

  function batch(write: (item: Item, parent: number) => Product): Route {
    return {
      act: 'batch',
      prepare: ({ parameters, turn, id }: Call) => {
        return async () => {
          const { create = [], update = [], delete: gone = [] } = Batch.parse(parameters)
          if (create.length + update.length + gone.length > MAX) {
            const message = `Unable to accept more than ${MAX} items for this request.`
            throw new RestError(413, 'woocommerce_rest_request_entity_too_large', message)
          }
          const body = { update: update.map((item) => resultOf(item, () => write(item, id))) }
          await turn.saved()
          return { body }
        }
      },
    }
  }

  /** One that is refused leaves the others alone: the answer is 200 all the same. */
  function resultOf(item: Item, write: () => Product): object {
    try {
      return show(write())
    } catch (error) {
      if (!(error instanceof RestError)) throw error
      const { code, message, status } = error
      return { id: item.id, error: { code, message, data: { status } } }
    }
  }

  function writeProduct(item: Item): Product {
    const product = catalogue.get(Number(item.id))
    if (!product) throw new RestError(400, 'woocommerce_rest_product_invalid_id', 'Invalid ID.')
    if (product.type === 'variation') {
      const message = 'To manipulate product variations you should use the variations endpoint.'
      throw new RestError(404, 'woocommerce_rest_invalid_product_id', message)
    }
    return writeStock(product, item)
  }

  function writeVariation(item: Item, parent: number): Product {
    const product = catalogue.get(Number(item.id))
    if (product?.type !== 'variation' || product.parentId !== parent)
      throw new RestError(400, 'woocommerce_rest_product_variation_invalid_id', 'Invalid ID.')
    return writeStock(product, item)
  }

  /** A shop that manages no stock leaves it as it is, and says that all is well. A quantity counts only where the stock is managed; then it is a whole number, whatever was sent. */
  function writeStock(product: Product, item: Item): Product {
    if (catalogue.managesStock) keepStock(product, item)
    product.modifiedAt = time.now()
    return product
  }

  function keepStock(product: Product, item: Item): void {
    if (item.manage_stock !== undefined) {
      if (item.manage_stock !== true && item.manage_stock !== 'true') product.stock = null
      else product.stock ??= 0
    }
    if (product.stock !== null && item.stock_quantity !== undefined)
      product.stock = Math.trunc(Number(item.stock_quantity)) || 0
  }
}
