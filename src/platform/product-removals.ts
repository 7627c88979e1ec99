import type { Client } from './client.ts'
import { sentId, sentText, unsendable } from './written.ts'

/** A variant that is there. An extId of digits would be taken for an id, and one with a slash for another path. */
type Removed = { extId: string } | { productId: string }

/**
 * Products and GTINs that are not sold any more: the platform keeps them as deleted. Not in the spec. What is not there is a
 * PermanentError `http-404`: whether that means the product or the endpoint, `operations.isProven` knows.
 */
export interface ProductRemovals {
  /** DELETE /api/products/{product}. */
  delete(product: Removed, signal?: AbortSignal): Promise<void>
  /** DELETE /api/products/{product}/gtin/{gtin}, or /api/products/extid/{extId}/gtin/{gtin}. */
  deleteGtin(product: Removed, gtin: string, signal?: AbortSignal): Promise<void>
  /** DELETE /api/products/{product}/gtin: all of them. */
  deleteGtins(product: { productId: string }, signal?: AbortSignal): Promise<void>
}

export function createProductRemovals(client: Client): ProductRemovals {
  return {
    async delete(product, signal) {
      await client.write('products.delete', { path: { product: keyInPath(product, 'products.delete') }, signal })
    },

    async deleteGtin(product, gtin, signal) {
      if ('extId' in product) {
        const extId = keyInPath(product, 'products.deleteGtinByExtId', { digits: true })
        const path = { extId, gtin: sentText(gtin, 'products.deleteGtinByExtId: the gtin') }
        await client.write('products.deleteGtinByExtId', { path, signal })
        return
      }
      const path = {
        product: String(sentId(product.productId, 'products.deleteGtin: the productId')),
        gtin: sentText(gtin, 'products.deleteGtin: the gtin'),
      }
      await client.write('products.deleteGtin', { path, signal })
    },

    async deleteGtins({ productId }, signal) {
      const path = { product: String(sentId(productId, 'products.deleteGtins: the productId')) }
      await client.write('products.deleteGtins', { path, signal })
    },
  }
}

/** `digits`: an extId of digits only can stand there, since nothing else is looked for. */
function keyInPath(product: Removed, call: string, { digits = false } = {}): string {
  if ('productId' in product) return String(sentId(product.productId, `${call}: the productId`))
  const extId = sentText(product.extId, `${call}: the extId`)
  if (/[/\\]/.test(extId) || (!digits && /^\d+$/.test(extId)))
    throw unsendable(
      `${call}: the extId`,
      `${JSON.stringify(extId)} cannot stand in a path: it could lead to another product. Give the productId.`,
    )
  return extId
}
