import { Router } from 'express'
import { Refusal } from '../refusal.ts'
import { toAmount } from '../sales/amounts.ts'
import type { Sold } from '../sales/book.ts'
import { isDay, storeTime } from '../sales/clock.ts'

/** Sums of sales by store and day (facts, §3 "GET /api/Aggregates"), as if its night had been just now. */
export function createAggregatesApi(sold: () => readonly Sold[]): Router {
  const router = Router()
  router.get('/api/Aggregates', (request, response) => {
    const { fromDate, toDate } = request.query as Record<string, string>
    if (!isDay(fromDate ?? '') || !isDay(toDate ?? ''))
      throw new Refusal(400, 'fromDate and toDate are required: yyyy-mm-dd.')
    const only = request.get('x-storeid')
    const days = new Map<string, Sold[]>()
    for (const sale of sold()) {
      const { store } = sale.receipt
      const day = storeTime(sale.instant, store).slice(0, 10)
      if (day < String(fromDate) || day > String(toDate) || (only && String(store.StoreId) !== only)) continue
      const key = `${store.StoreId} ${day}`
      days.set(key, [...(days.get(key) ?? []), sale])
    }
    response.json([...days].flatMap(([key, sales]) => recordOf(key.split(' ')[1] ?? '', sales)))
  })
  return router
}

function recordOf(day: string, sales: readonly Sold[]) {
  const [first] = sales
  if (!first) return []
  const { store } = first.receipt
  const lines = sales.flatMap(({ receipt }) => receipt.lines)
  const cents = lines.reduce((sum, line) => sum + line.cents * line.quantity, 0)
  return [
    {
      saleDate: `${day}T00:00:00`,
      companyId: 7,
      storeId: store.StoreId,
      storeName: store.StoreName,
      saleCount: sales.length,
      qty: lines.reduce((sum, { quantity }) => sum + quantity, 0),
      lineTotal: toAmount(cents),
      cost: 0,
      discount: 0,
      vat: toAmount(Math.round(cents * 0.2)),
      colValue: null,
      colName: null,
    },
  ]
}
