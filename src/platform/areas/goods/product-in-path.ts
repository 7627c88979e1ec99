import { sentId, sentText, unsendable } from '../../http/written.ts'

/** A variant that is there. */
export type ExistingProduct = { extId: string } | { productId: string }

/**
 * Whether an extId cannot stand in a path where either id can: digits would name the product that has them as productId, and a
 * slash would make it another path.
 */
export function mayMislead(extId: string): boolean {
  return /^\d+$/.test(extId.trim()) || hasSlash(extId)
}

/** The id that names a product in a path. `extIdAlone`: no other id is looked for there, so that digits lead nowhere else. */
export function keyInPath(product: ExistingProduct, operation: string, { extIdAlone = false } = {}): string {
  if ('productId' in product) return sentText(product.productId, `${operation}: the productId`)
  const extId = sentText(product.extId, `${operation}: the extId`)
  if (extIdAlone ? hasSlash(extId) : mayMislead(extId))
    throw unsendable(
      `${operation}: the extId`,
      `${JSON.stringify(extId)} cannot stand in a path: it could lead to another product. Give the productId, which save and byGtin tell.`,
    )
  return extId
}

/** The id that names a product in a body, under the name of its field there. */
export function keyInBody(
  product: ExistingProduct,
  operation: string,
): { extId: string } | { productid: number | string } {
  if ('extId' in product) return { extId: sentText(product.extId, `${operation}: the extId`) }
  return { productid: sentId(product.productId, `${operation}: the productId`) }
}

function hasSlash(extId: string): boolean {
  return /[/\\]/.test(extId)
}
