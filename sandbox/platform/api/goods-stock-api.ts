import { Router } from 'express'
import { z } from 'zod'
import { ADJUSTMENT_NAMES, type Adjust, Adjustment } from '../goods/adjust.ts'
import { Instant, PAGE, stockOfId } from '../goods/door.ts'
import type { Goods } from '../goods/held.ts'
import { readBody } from '../sales/door.ts'
import { STOCKS } from '../stores.ts'

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
export function createStockApi({ catalogue, stock }: Goods, adjust: Adjust): Router {
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
  router.get('/api/Stock/list', ({ query: { includeExtId } }, response) => {
    const entries = STOCKS.map(({ StockId, StoreName, StoreNo }) => [
      StockId,
      // The richer form is not shown: these are the names of the settings.
      includeExtId === 'true' ? { name: StoreName, extId: StoreNo } : StoreName,
    ])
    response.json(Object.fromEntries(entries))
  })
  router.get('/api/Stock/gtin/:gtin', ({ params: { gtin }, query }, response) => {
    const item = catalogue.find({ gtin })
    response.json(item ? levelsOf(item.size.identity, gtin, query.includeStockReservations === 'true') : [])
  })
  return router

  /** A size without a GTIN has no row where GTINs are asked for, and a deleted product has none at all. */
  function rowsOf(filter: z.infer<typeof StockFilter>) {
    const { stockIds, useGTIN, ins, suppressZeroes, excludeStockReservations } = filter
    const stocks = stockIds?.map((id) => stockOfId(id).StockId)
    return stock
      .levels()
      .filter(({ stockId }) => !stocks || stocks.includes(stockId))
      .filter(({ changedAt, quantity }) => (ins == null || changedAt >= ins) && !(suppressZeroes && quantity === 0))
      .flatMap(({ stockId, identity, quantity }) => {
        const id = useGTIN ? catalogue.find({ identity })?.size.gtin : identity
        const kept = excludeStockReservations ? stock.reserved(stockId, identity) : 0
        return id ? [{ id, stockId, quantity: quantity - kept }] : []
      })
  }

  /** With the reservations: what can still be sold. */
  function levelsOf(identity: string, id: string, sellable: boolean) {
    return stock.levelsOf(identity).map(({ stockId, quantity }) => ({
      id,
      stockId,
      quantity: sellable ? quantity - stock.reserved(stockId, identity) : quantity,
    }))
  }
}
