import { Router } from 'express'
import type { Adjust } from '../goods/adjust.ts'
import { Refusal } from '../refusal.ts'

/** A count, as it was told when it was made. */
export type Counted = ReturnType<Adjust>

/** Counts of stocks, the newest first (facts, §1b "Stock/count/batches"). */
export function createCountsApi(counted: () => readonly Counted[]): Router {
  const router = Router()
  router.get('/api/Stock/count/batches', ({ query: { pageNumber = '1', pageSize = '25' } }, response) => {
    const size = Number(pageSize)
    const skipped = (Number(pageNumber) - 1) * size
    const newest = [...counted()].reverse()
    response.json(newest.slice(skipped, skipped + size).map(batchRecord))
  })
  router.get('/api/Stock/count/batch/:id', ({ params: { id } }, response) => {
    const found = counted().find(({ stockCountId }) => String(stockCountId) === id)
    if (!found) throw new Refusal(404, `There is no count ${id}.`)
    const countDetails = found.items.map(({ gtin, sku, productId, quantity }) => ({
      lineText: '',
      device: '',
      productId,
      productExtId: null,
      gtin,
      externalSku: sku,
      ins: found.createdDateTime,
      insBy: 1,
      isValid: true,
      qty: quantity,
      guid: null,
    }))
    response.json({ ...batchRecord(found), countDetails })
  })
  return router
}

function batchRecord({ stockCountId, stockId, stockExtId, description, countedDateTime, createdDateTime }: Counted) {
  return {
    stockCountId,
    name: description,
    dateCounted: countedDateTime,
    ins: createdDateTime,
    insBy: 1,
    deleted: false,
    stockId,
    extStockId: stockExtId,
    isReconciled: true,
  }
}
