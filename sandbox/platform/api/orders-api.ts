import { type Request, Router } from 'express'
import { OrderBody } from '../orders/body.ts'
import type { OrderBook } from '../orders/book.ts'
import { fromPublic } from '../orders/public.ts'
import { readPayload } from '../orders/read-payload.ts'
import { Refusal } from '../refusal.ts'
import { readBody, storeOfHeader } from '../sales/door.ts'
import { STORES, type Store } from '../stores.ts'

/** Online orders for stores (spec, "Omnichannel"; facts, §1e "Read / update / delete / list"). Writes answer the order's id. */
export function createOrdersApi(orders: OrderBook): Router {
  const router = Router()
  router.post('/api/OmniChannel', (request, response) => {
    const store = storeOfOrder(request)
    response.json(orders.create(store, readOrder(request)).orderId)
  })
  router.put('/api/OmniChannel', (request, response) => {
    response.json(orders.replace(readOrder(request)).orderId)
  })
  router.get('/api/OmniChannel', ({ query }, response) => {
    response.json(readPayload(orders.get(readText('orderNo', query.orderNo))))
  })
  router.delete('/api/OmniChannel', ({ query }, response) => {
    response.json(orders.remove(readText('orderNo', query.orderNo)).orderId)
  })
  return router
}

/** A request that names the store by its stock speaks as the public API does. */
function readOrder(request: Request): OrderBody {
  const body: unknown = request.get('x-stockid') === undefined ? request.body : fromPublic(request.body)
  return readBody(OrderBody, body, Object.keys(OrderBody.shape))
}

/** The spec's header has the id of the store, that of the public API the id of its stock (facts, §1e). */
function storeOfOrder(request: Request): Store {
  const stockId = request.get('x-stockid')
  if (stockId === undefined) return storeOfHeader(request)
  const found = STORES.find(({ StockId }) => String(StockId) === stockId)
  if (!found) throw new Refusal(400, `x-StockId ${stockId}: there is no such stock.`)
  return found
}

function readText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new Refusal(400, `${name} is required.`)
}
