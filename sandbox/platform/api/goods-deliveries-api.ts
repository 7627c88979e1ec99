import { type Request, type Response, Router } from 'express'
import { z } from 'zod'
import type { Deliveries } from '../goods/deliveries.ts'
import { type DeliveryLine, orderRecord } from '../goods/delivery.ts'
import { Instant, stockOfId } from '../goods/door.ts'
import type { Goods } from '../goods/held.ts'
import { Refusal } from '../refusal.ts'
import { readBody } from '../sales/door.ts'

const OrderLine = z.object({
  gtin: z.string().nullish(),
  identity: z.string().nullish(),
  externalSKU: z.string().nullish(),
  qty: z.number().positive(),
  cost: z.number().min(0).nullish(),
})

/** A delivery to enter (spec, "Delivery (create request)"); it is open: more fields do no harm (facts, line of L525). */
const PurchaseOrder = z.object({
  requestId: z.guid().nullish(),
  extRef: z.string().nullish(),
  extStockId: z.string().nullish(),
  stockId: z.int().nullish(),
  storeId: z.int().nullish(),
  orderDate: Instant.nullish(),
  expectedDeliveryDate: Instant.nullish(),
  comment: z.string().nullish(),
  insertAsConfirmed: z.boolean().nullish(),
  orderLines: z.array(OrderLine).min(1),
})
const NAMES = [PurchaseOrder, OrderLine].flatMap(({ shape }) => Object.keys(shape))

/** Deliveries (spec, "Deliveries"; facts, §1c). */
export function createDeliveriesApi(deliveries: Deliveries, goods: Goods, now: () => number): Router {
  const router = Router()
  // The spec's name and the public API's name for one thing (facts, line of L407).
  router.put('/api/Delivery', create)
  router.put('/api/PurchaseOrder', create)
  router.get('/api/GetOrdersV3', ({ query: { stockid } }, response) => {
    if (typeof stockid !== 'string' || !/^\d{1,9}$/.test(stockid))
      throw new Refusal(400, 'stockid is required: the id of one stock.')
    const { StockId } = stockOfId(Number(stockid))
    response.json(deliveries.of(StockId).map((delivery) => orderRecord(delivery, goods)))
  })
  return router

  function create({ body }: Request, response: Response): void {
    const order = readBody(PurchaseOrder, body, NAMES)
    const store = stockOfId(order.stockId, order.extStockId)
    const { storeId, extStockId, insertAsConfirmed, orderDate, expectedDeliveryDate } = order
    if (storeId == null && extStockId == null) throw new Refusal(400, 'storeId is required.')
    if (storeId != null && storeId !== store.StoreId)
      throw new Refusal(400, `storeId ${storeId} is not the store of stock ${store.StockId}.`)
    const id = deliveries.create({
      requestId: order.requestId ?? null,
      extRef: order.extRef ?? '',
      store,
      // Confirmed: announced, and still to be received (facts, §1c "insertAsConfirmed").
      type: insertAsConfirmed ? 'PlannedDelivery' : 'DirectDelivery',
      orderDate: orderDate ?? now(),
      expectedAt: expectedDeliveryDate ?? null,
      comment: order.comment ?? '',
      lines: linesOf(order.orderLines),
    })
    response.json(id)
  }

  /** The cost of a line is the variant's: where sizes of one differ, the last counts for all (facts, §1c "cost on a line"). */
  function linesOf(said: readonly z.infer<typeof OrderLine>[]): DeliveryLine[] {
    const costs = new Map<number, number>()
    const lines = said.map(({ qty, cost, ...name }, index) => {
      const item = goods.catalogue.find(name)
      const called = name.gtin ?? name.identity ?? name.externalSKU
      if (called == null) throw new Refusal(400, `orderLines[${index}]: gtin is required.`)
      if (!item) throw new Refusal(400, `orderLines[${index}]: there is no ${called}.`)
      const { variant, size } = item
      if (cost != null) costs.set(variant.productid, cost)
      return { identity: size.identity, productid: variant.productid, gtin: size.gtin ?? '', expected: qty }
    })
    return lines.map((line) => ({ ...line, received: 0, cost: costs.get(line.productid) ?? null, movements: [] }))
  }
}
