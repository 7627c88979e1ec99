import { Router } from 'express'
import type { Goods } from '../goods/held.ts'
import type { Variant } from '../goods/product.ts'
import { Refusal } from '../refusal.ts'

/** GTINs that are not sold any more (facts, §3 "products"). The sizes stay. */
export function createRemovalsApi({ catalogue }: Goods): Router {
  const router = Router()
  router.delete('/api/products/extid/:extId/gtin/:gtin', ({ params: { extId, gtin } }, response) => {
    take(catalogue.byExtId(extId), gtin)
    response.status(200).end()
  })
  router.delete('/api/products/:id/gtin/:gtin', ({ params: { id, gtin } }, response) => {
    take(catalogue.byId(Number(id)), gtin)
    response.status(200).end()
  })
  router.delete('/api/products/:id/gtin', ({ params: { id } }, response) => {
    take(catalogue.byId(Number(id)), null)
    response.status(200).end()
  })
  return router

  function take(variant: Variant | null, gtin: string | null): void {
    if (!variant || (gtin !== null && !variant.sizes.some((size) => size.gtin === gtin)))
      throw new Refusal(404, gtin === null ? 'There is no such product.' : `It has no GTIN ${gtin}.`)
    catalogue.removeGtin(variant, gtin)
  }
}
