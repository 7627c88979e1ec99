import { PermanentError } from '../../domain/errors.ts'
import type { OperationName } from '../../platform/endpoints.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Effect, PlatformPort } from '../adapter.ts'
import { createProductIds } from './product-ids.ts'

const GONE: Effect = { note: 'not there (any more)' }

/** Products and GTINs that are not sold any more (public facts, DELETE /api/products). */
export function createRemovals({
  productRemovals,
  products,
  operations,
}: Pick<Platform, 'productRemovals' | 'products' | 'operations'>): Pick<PlatformPort, 'deleteProduct'> {
  const productIds = createProductIds(products)
  return {
    async deleteProduct({ extId, gtin }, attempt) {
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

/** The 404 of an operation that is not known to be there may mean the endpoint: then nothing is believed to be deleted. */
export async function goneIfTold(
  operations: Platform['operations'],
  operation: OperationName,
  error: unknown,
  what: string,
): Promise<Effect> {
  if (!(error instanceof PermanentError && error.code === 'http-404')) throw error
  if (await operations.isProven(operation)) return GONE
  throw new PermanentError(
    `platform: ${what} may still be there. The platform answered 404 to its deletion, and no deletion has ever worked on it: ` +
      `the 404 may mean the endpoint. Look in the portal; where it is deleted otherwise: platform.endpoints, ${operation}.`,
    { code: 'not-deleted', cause: error },
  )
}
