import { Router } from 'express'
import { z } from 'zod'
import type { Goods } from './goods.ts'
import { ADJUSTMENT_NAMES, Adjustment } from './goods-adjust.ts'
import { Instant, PAGE, storeOfStock } from './goods-door.ts'
import { readBody } from './sales-door.ts'
import { STORES } from './stores.ts'

const Flag = z.boolean().nullish()

const StockFilter = z.object({
  ...PAGE,
  stockIds: z.array(z.int()).nullish(),
  useGTIN: Flag,
  /** Only what changed since. */
  ins: Instant.nullish(),
  suppressZeroes: Flag,
  excludeStockReservations: Flag,
})

/** Stock levels: set, and read (spec, "Stock"; facts, §1b). */
export function createStockApi({ catalogue, stock }: Goods, adjust: (adjustment: Adjustment) => void): Router {
  const router = Router()
  router.post('/api/Stock/adjust', ({ body }, response) => {
    adjust(readBody(Adjustment, body, ADJUSTMENT_NAMES))
    response.json('Ok')
  })
  router.post('/api/Stock', ({ body }, response) => {
    const filter = readBody(StockFilter, body ?? {}, Object.keys(StockFilter.shape))
    const skip = filter.pageSkip ?? 0
    const rows = rowsOf(filter)
    response.json(rows.slice(skip, skip + (filter.pageSize ?? rows.length)))
  })
  router.post('/api/Stock/count', ({ body }, response) => {
    response.json(rowsOf(readBody(StockFilter, body ?? {}, Object.keys(StockFilter.shape))).length)
  })
  router.get('/api/Stock/list', (_, response) => {
    response.json(Object.fromEntries(STORES.map(({ StockId, StoreName }) => [StockId, StoreName])))
  })
  return router

  /** A size without a GTIN has no row where GTINs are asked for, and a deleted product has none at all. */
  function rowsOf({ stockIds, useGTIN, ins, suppressZeroes }: z.infer<typeof StockFilter>) {
    const stocks = stockIds?.map((id) => storeOfStock(id).StockId)
    return stock
      .levels()
      .filter(({ stockId }) => !stocks || stocks.includes(stockId))
      .filter(({ changedAt, quantity }) => (ins == null || changedAt >= ins) && !(suppressZeroes && quantity === 0))
      .flatMap(({ stockId, identity, quantity }) => {
        const id = useGTIN ? catalogue.find({ identity })?.size.gtin : identity
        return id ? [{ id, stockId, quantity }] : []
      })
  }
}
