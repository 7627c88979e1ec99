import { Router } from 'express'
import { z } from 'zod'
import { findArticle } from '../goods/article.ts'
import { stockOfId } from '../goods/door.ts'
import type { Goods } from '../goods/held.ts'
import { Refusal } from '../refusal.ts'
import { readBody } from '../sales/door.ts'
import type { Pos } from '../sales/pos.ts'

const Line = z.object({ gtin: z.string().min(1), qty: z.int() })
const Correction = z.object({
  extRef: z.string().nullish(),
  stockId: z.int(),
  storeId: z.int(),
  comment: z.string().nullish(),
  orderLines: z.array(Line).min(1),
})
const NAMES = [Correction, Line].flatMap(({ shape }) => Object.keys(shape))

/** `PUT /api/PurchaseOrder/correction`: so many more, or fewer, each time that it is sent (facts, §1b "Delta correction"). */
export function createCorrectionsApi(goods: Goods, pos: Pick<Pos, 'move'>): Router {
  const router = Router()
  router.put('/api/PurchaseOrder/correction', ({ body }, response) => {
    const { stockId, orderLines } = readBody(Correction, body, NAMES)
    const stock = stockOfId(stockId)
    const lines = orderLines.map(({ gtin, qty }, index) => {
      const article = findArticle(goods, { gtin })
      if (!article) throw new Refusal(400, `orderLines[${index}]: there is no ${gtin}.`)
      return { article, qty }
    })
    for (const { article, qty } of lines) pos.move(stock, article, qty, 'Manual')
    response.status(200).end()
  })
  return router
}
