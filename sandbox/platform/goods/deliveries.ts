import { Refusal } from '../refusal.ts'
import type { Emit } from '../sales/emit.ts'
import type { Pos } from '../sales/pos.ts'
import { articleOfItem } from './article.ts'
import type { Item } from './catalogue.ts'
import { type Delivery, type DeliveryLine, deliveryPayload, isDelivered } from './delivery.ts'
import type { Goods } from './held.ts'

/** The goods that a store received. */
export interface Received {
  /** Pieces of these; all that is missing, if nobody says. */
  lines?: readonly { gtin: string; quantity: number }[]
  /** Nothing more will come: it is completed as it is. */
  close?: boolean
}

/** Deliveries, from their announcement to their completion, each step told to those who subscribed. */
export function createDeliveries(goods: Goods, move: Pos['move'], now: () => number, emit: Emit) {
  const deliveries = new Map<number, Delivery>()

  function tell(kind: string, delivery: Delivery): void {
    emit(kind, deliveryPayload(delivery, goods), delivery.store)
  }

  function itemOf({ identity, gtin }: DeliveryLine): Item {
    const item = goods.catalogue.find({ identity })
    if (!item) throw new Refusal(409, `${gtin} was deleted since it was announced.`)
    return item
  }

  function take(delivery: Delivery, line: DeliveryLine, quantity: number): void {
    const article = articleOfItem(itemOf(line))
    const { movementId, createdDateTime } = move(delivery.store, article, quantity, 'PurchaseOrderReceived')
    line.received += quantity
    line.movements.push({ movementId, createdDateTime, quantity, costPrice: line.cost ?? 0 })
  }

  return {
    /** In the order in which they were announced. */
    all: (): Delivery[] => [...deliveries.values()],

    of: (stockId: number): Delivery[] => [...deliveries.values()].filter(({ store }) => store.StockId === stockId),

    /** Enters a delivery; gives its order id. The same `requestId` again gives the same one, and does nothing. */
    create(order: Omit<Delivery, 'orderId' | 'completed' | 'createdAt' | 'updatedAt'>): number {
      const same = [...deliveries.values()].find(({ requestId }) => requestId !== null && requestId === order.requestId)
      if (same) return same.orderId
      const at = now()
      const delivery = { ...order, orderId: 91_001 + deliveries.size, completed: false, createdAt: at, updatedAt: at }
      deliveries.set(delivery.orderId, delivery)
      for (const { productid, cost } of order.lines)
        if (cost !== null) goods.prices.setCost(order.store.StockId, productid, cost)
      if (delivery.type === 'DirectDelivery') {
        // Nobody receives it by hand: it is in the stock at once (spec, "Delivery webhook payload").
        for (const line of delivery.lines) take(delivery, line, line.expected)
        delivery.completed = true
      }
      tell('DeliveryCreated', delivery)
      return delivery.orderId
    },

    /** The cost price was another one: of one variant, or of all that is in it. */
    changeCost(orderId: number, gtin: string | null, cost: number): void {
      const delivery = deliveries.get(orderId)
      if (!delivery) throw new Refusal(404, `There is no delivery ${orderId}.`)
      const named = delivery.lines.find((line) => line.gtin === gtin)
      if (gtin !== null && !named) throw new Refusal(400, `Delivery ${orderId} has no ${gtin}.`)
      for (const line of delivery.lines.filter(({ productid }) => !named || productid === named.productid)) {
        line.cost = cost
        goods.prices.setCost(delivery.store.StockId, line.productid, cost)
      }
      delivery.updatedAt = now()
      tell('DeliveryUpdated', delivery)
    },

    /** A store receives some of a delivery, or all of it. Refuses what is completed, and what is not in it. */
    receive(orderId: number, { lines, close = false }: Received = {}): void {
      const delivery = deliveries.get(orderId)
      if (!delivery) throw new Refusal(404, `There is no delivery ${orderId}.`)
      if (delivery.completed) throw new Refusal(409, `Delivery ${orderId} is completed.`)
      const taken = lines
        ? lines.map(({ gtin, quantity }) => {
            const line = delivery.lines.find((one) => one.gtin === gtin)
            if (!line) throw new Refusal(400, `Delivery ${orderId} has no ${gtin}.`)
            if (!(quantity > 0)) throw new Refusal(400, `${gtin}: the quantity must be above 0.`)
            return { line, quantity }
          })
        : delivery.lines.map((line) => ({ line, quantity: line.expected - line.received }))
      const some = taken.filter(({ quantity }) => quantity > 0)
      // All or nothing: what would be refused is refused before anything moves.
      for (const { line } of some) itemOf(line)
      for (const { line, quantity } of some) take(delivery, line, quantity)
      delivery.completed = close || isDelivered(delivery)
      delivery.updatedAt = now()
      tell('DeliveryUpdated', delivery)
      if (some.length > 0) tell('DeliveryItemsReceived', delivery)
      if (delivery.completed) tell('DeliveryCompleted', delivery)
    },
  }
}

export type Deliveries = ReturnType<typeof createDeliveries>
