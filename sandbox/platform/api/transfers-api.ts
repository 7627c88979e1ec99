import { Router } from 'express'
import { z } from 'zod'
import { findArticle } from '../goods/article.ts'
import { stockOfId } from '../goods/door.ts'
import type { Goods } from '../goods/held.ts'
import type { Transfers } from '../goods/transfers.ts'
import { Refusal } from '../refusal.ts'
import { readBody } from '../sales/door.ts'

const ProductLine = z.object({ gtin: z.string().nullish(), identity: z.string().nullish(), qty: z.int().positive() })

const ProductMove = z.object({
  stockId: z.int(),
  storeId: z.int().nullish(),
  toStockId: z.int(),
  comment: z.string().nullish(),
  /** Sic. */
  insertAsRecevied: z.boolean().nullish(),
  productLines: z.array(ProductLine).min(1),
})
const NAMES = [ProductMove, ProductLine].flatMap(({ shape }) => Object.keys(shape))

/** `PUT /api/ProductTransfer` (facts, §3 "ProductMove"): answers the transfer's id. */
export function createTransfersApi(transfers: Transfers, goods: Goods): Router {
  const router = Router()
  router.put('/api/ProductTransfer', ({ body }, response) => {
    const asked = readBody(ProductMove, body, NAMES)
    const lines = asked.productLines.map(({ qty, ...name }, index) => {
      const article = findArticle(goods, name)
      if (!article) throw new Refusal(400, `productLines[${index}]: there is no ${name.gtin ?? name.identity}.`)
      return { article, quantity: qty }
    })
    const { transferId } = transfers.create(stockOfId(asked.stockId), stockOfId(asked.toStockId), lines)
    if (asked.insertAsRecevied) transfers.receive(transferId)
    response.json(transferId)
  })
  return router
}
