import type { Client } from '../../http/client.ts'
import { sentText } from '../../http/written.ts'
import { type ExistingProduct, keyInPath } from './product-in-path.ts'

/**
 * Products and GTINs that are not sold any more: the platform keeps them as deleted. Not in the spec. What is not there is a
 * PermanentError `http-404`: whether that means the product or the endpoint, `operations.isProven` knows.
 */
export interface ProductRemovals {
  /** DELETE /api/products/{product}. */
  delete(product: ExistingProduct, signal?: AbortSignal): Promise<void>
  /** DELETE /api/products/{product}/gtin/{gtin}, or /api/products/extid/{extId}/gtin/{gtin}. */
  deleteGtin(product: ExistingProduct, gtin: string, signal?: AbortSignal): Promise<void>
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
        const extId = keyInPath(product, 'products.deleteGtinByExtId', { extIdAlone: true })
        const path = { extId, gtin: sentText(gtin, 'products.deleteGtinByExtId: the gtin') }
        await client.write('products.deleteGtinByExtId', { path, signal })
        return
      }
      const path = {
        product: keyInPath(product, 'products.deleteGtin'),
        gtin: sentText(gtin, 'products.deleteGtin: the gtin'),
      }
      await client.write('products.deleteGtin', { path, signal })
    },

    async deleteGtins(product, signal) {
      const path = { product: keyInPath(product, 'products.deleteGtins') }
      await client.write('products.deleteGtins', { path, signal })
    },
  }
}
