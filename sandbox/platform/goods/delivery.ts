import { storeTime } from '../sales/clock.ts'
import type { Stock } from '../stores.ts'
import type { Goods } from './held.ts'

/** Pieces of one size, announced and received. */
export interface DeliveryLine {
  identity: string
  productid: number
  gtin: string
  expected: number
  received: number
  /** The cost of one, the same for all sizes of the variant; null: nobody said. */
  cost: number | null
  movements: { movementId: number; createdDateTime: string; quantity: number; costPrice: number }[]
}

/** Goods on their way to a stock. Instants are milliseconds since 1970. */
export interface Delivery {
  orderId: number
  /** A GUID of whoever announced it. */
  requestId: string | null
  extRef: string
  store: Stock
  /** Planned: the store receives it by hand. Direct: it is in the stock at once. */
  type: 'DirectDelivery' | 'PlannedDelivery'
  orderDate: number
  expectedAt: number | null
  comment: string
  lines: DeliveryLine[]
  completed: boolean
  createdAt: number
  updatedAt: number
}

/** Whether nothing of it is missing. */
export function isDelivered({ lines }: Pick<Delivery, 'lines'>): boolean {
  return lines.every(({ expected, received }) => received >= expected)
}

/** The delivery payload (spec, "Delivery webhook payload"). Of its statuses, the spec shows `Delivered` only. */
export function deliveryPayload(delivery: Delivery, { stock }: Goods) {
  const { store, lines, completed, expectedAt } = delivery
  const started = lines.some(({ received }) => received > 0)
  return {
    stockId: store.StockId,
    stockExtId: store.StoreNo,
    isCompleted: completed,
    products: lines.map(({ identity, gtin, expected, received, cost, movements }) => ({
      identifier: identity,
      gtin,
      quantityExpected: expected,
      quantityReceived: received,
      currentStockLevel: stock.level(store.StockId, identity),
      costPrice: cost,
      costPriceCurrency: store.Currency,
      stockMovements: [...movements],
    })),
    expectedDeliveryDate: storeTime(expectedAt ?? delivery.orderDate, store).slice(0, 10),
    companyId: 7,
    orderId: delivery.orderId,
    orderReference: delivery.extRef,
    comment: delivery.comment,
    type: delivery.type,
    status: completed ? 'Delivered' : started ? 'PartlyDelivered' : 'Planned',
    createdDateTime: storeTime(delivery.createdAt, store),
    updatedDateTime: storeTime(delivery.updatedAt, store),
  }
}

/** The delivery as GetOrdersV3 lists it (spec, "Delivery order"). The meanings of its two codes are not shown. */
export function orderRecord(delivery: Delivery, { catalogue }: Goods) {
  const { orderId, extRef, comment, store, lines, completed } = delivery
  const variants = lines.map(({ productid }) => catalogue.byId(productid))
  return {
    OrderId: orderId,
    Ordernumber: extRef || String(orderId),
    Description: comment || null,
    OrderDate: storeTime(delivery.orderDate, store),
    Brand: variants[0]?.brand ?? '',
    Season: variants[0]?.season ?? '',
    TotalConfirmedQty: sum(lines.map(({ expected }) => expected)),
    TotalConfirmedCost: sum(lines.map(({ expected, cost }) => expected * (cost ?? 0))),
    TotalReceivedQty: sum(lines.map(({ received }) => received)),
    TotalReceivedCost: sum(lines.map(({ received, cost }) => received * (cost ?? 0))),
    ToStockId: store.StockId,
    OrderType: delivery.type === 'PlannedDelivery' ? 1 : 2,
    OrderStatus: completed ? 3 : 1,
    Completed: completed,
    Products: lines.map(({ identity, productid, gtin, expected, received, cost }) => {
      const variant = catalogue.byId(productid)
      const size = variant?.sizes.findIndex((one) => one.identity === identity) ?? -1
      return {
        ProductId: productid,
        Size: Number(identity),
        SizeLabel: size + 1,
        Name: variant?.name ?? '',
        Number: variant?.number ?? '',
        Variant: variant?.variant ?? '',
        Color: variant?.color ?? '',
        Label: variant?.sizes[size]?.label ?? '',
        Description: variant?.description ?? null,
        QtyConfirmed: expected,
        QtyReceived: received,
        Cost: cost ?? 0,
        Identifier: gtin,
      }
    }),
  }
}

/** To two decimals. */
function sum(amounts: readonly number[]): number {
  return Number(amounts.reduce((total, amount) => total + amount, 0).toFixed(2))
}
