import { PermanentError } from '../../domain/values/errors.ts'
import { mayMislead } from '../../platform/areas/goods/product-in-path.ts'
import type { Products } from '../../platform/areas/goods/products.ts'
import type { Attempt, Effect } from '../../ports/attempt.ts'
import { areKeysRefused } from './keys.ts'

type Links = NonNullable<Effect['links']>

/** The platform's ids of some products, as far as they are known. */
export interface FoundIds {
  /** By what was asked for. Not in it: the platform has no such product. */
  ids: Map<string, string>
  /** There was no time to ask for these: another attempt goes on with them. */
  unasked: Set<string>
  /** Products that the platform does not want to be asked for, each with its refusal. */
  refused: Map<string, PermanentError>
}

/** How long products are asked for one by one (milliseconds): the call that wants their ids must have time left. */
const LOOKING = 30_000

/** Products that are asked for at the same time. */
const AT_ONCE = 4

/** The platform's ids of products, by what own systems call them. */
export function createProductIds(products: Pick<Products, 'byExtId'>) {
  /** As known by link, or else as the platform says. */
  async function byExtId(extIds: readonly string[], { links, signal }: Attempt): Promise<FoundIds> {
    const wanted = [...new Set(extIds)]
    const known = wanted.length > 0 ? await links('product', wanted) : []
    const ids = new Map(known.map(({ id, theirId }) => [id, theirId]))
    const unasked = new Set(wanted.filter((extId) => !ids.has(extId)))
    const refused = new Map<string, PermanentError>()
    const until = performance.now() + LOOKING
    async function ask() {
      for (const extId of unasked) {
        if (performance.now() > until) return
        unasked.delete(extId)
        try {
          const product = await products.byExtId(extId, signal)
          if (product) ids.set(extId, product.productId)
        } catch (error) {
          if (!(error instanceof PermanentError) || areKeysRefused(error)) throw error
          refused.set(extId, error)
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, ask))
    return { ids, unasked, refused }
  }

  return {
    byExtId,

    /** The name of the product in a path: its extId, unless that could be taken for something else. */
    async nameInPath(
      extId: string,
      attempt: Attempt,
    ): Promise<{ name: { extId: string } | { productId: string }; links: Links }> {
      if (!mayMislead(extId)) return { name: { extId }, links: [] }
      const { ids, refused } = await byExtId([extId], attempt)
      const error = refused.get(extId)
      if (error) throw error
      const productId = ids.get(extId)
      if (productId === undefined) return { name: { extId }, links: [] }
      return { name: { productId }, links: [productLink(extId, productId)] }
    },
  }
}

export function productLink(extId: string, productId: string): Links[number] {
  return { kind: 'product', id: extId, theirId: productId }
}
