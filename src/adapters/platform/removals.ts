import { isNotThere, PermanentError } from '../../domain/values/errors.ts'
import type { OperationName } from '../../platform/http/endpoints.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Attempt, Effect } from '../../ports/attempt.ts'
import type { PlatformPort } from '../../ports/platform.ts'
import { createProductIds, productLink } from './product-ids.ts'

const GONE: Effect = { note: 'not there (any more)' }

/** Products and GTINs that are not sold any more (public facts, DELETE /api/products). */
export function createRemovals({
  productRemovals,
  products,
  operations,
}: Pick<Platform, 'productRemovals' | 'products' | 'operations'>): Pick<PlatformPort, 'deleteProduct'> {
  const productIds = createProductIds(products)

  /** No path names a product by its extId there. */
  async function deleteGtins(extId: string, attempt: Attempt): Promise<Effect> {
    const { ids, refused } = await productIds.byExtId([extId], attempt)
    const productId = ids.get(extId)
    if (productId === undefined) {
      if (!refused.has(extId) && (await operations.isProven('products.byExtId'))) return GONE
      throw notFound(extId, refused.get(extId))
    }
    const links = [productLink(extId, productId)]
    try {
      await productRemovals.deleteGtins({ productId }, attempt.signal)
      return { links, note: 'deleted' }
    } catch (error) {
      return await goneIfTold(operations, 'products.deleteGtins', error, `what GTINs ${extId} has`)
    }
  }

  return {
    async deleteProduct({ extId, gtin, gtins }, attempt) {
      if (gtins === 'all') return await deleteGtins(extId, attempt)
      const { name, links } = await productIds.nameInPath(extId, attempt)
      const operation =
        gtin === undefined ? 'products.delete' : 'extId' in name ? 'products.deleteGtinByExtId' : 'products.deleteGtin'
      try {
        if (gtin === undefined) await productRemovals.delete(name, attempt.signal)
        else await productRemovals.deleteGtin(name, gtin, attempt.signal)
        return { links, note: 'deleted' }
      } catch (error) {
        return await goneIfTold(operations, operation, error, gtin === undefined ? extId : `GTIN ${gtin} of ${extId}`)
      }
    },
  }
}

function notFound(extId: string, cause?: Error): PermanentError {
  return new PermanentError(
    `platform: the GTINs of ${extId} were not deleted: only the platform's own id of the product names them, and the platform did not tell ` +
      'it (platform.endpoints, products.byExtId). Delete them one by one, each by its gtin, or in the portal.',
    { code: 'not-deleted', cause },
  )
}

/** The 404 of an operation that is not known to be there may mean the endpoint: then nothing is believed to be deleted. */
export async function goneIfTold(
  operations: Platform['operations'],
  operation: OperationName,
  error: unknown,
  what: string,
): Promise<Effect> {
  if (!isNotThere(error)) throw error
  if (await operations.isProven(operation)) return GONE
  throw new PermanentError(
    `platform: ${what} may still be there. The platform answered 404 to its deletion, and no deletion has ever worked on it: ` +
      `the 404 may mean the endpoint. Look in the portal; where it is deleted otherwise: platform.endpoints, ${operation}.`,
    { code: 'not-deleted', cause: error },
  )
}
