import type { Decimal, Money } from '../values/money.ts'

/*
 * Events about goods in stores besides sales. The spec shows the payload of deliveries alone; what the fields
 * of the others are called stands in the table of kinds (known-goods), and what is not there is null. `at` is the store's wall clock, as written.
 */

/** Goods on their way to a stock, or there (spec, "Delivery webhook payload"). */
export interface Delivery {
  deliveryId: string
  /** The sender's name for the delivery. */
  reference: string | null
  stockId: string | null
  stockNo: string | null
  /** The platform's id of the company. */
  companyId: string | null
  /** `DirectDelivery`, `PlannedDelivery`, as written. */
  type: string | null
  /** `Delivered` … as written. */
  status: string | null
  isCompleted: boolean
  comment: string | null
  /** Those of the platform's list alone (spec L182-189), as the five below: a webhook does not say them. */
  brand: string | null
  season: string | null
  /** A code whose meaning is not shown. */
  orderType: string | null
  /** All lines together, in pieces, and what they cost without VAT, in the currency of the stock. */
  expectedQuantity: Decimal | null
  expectedCost: Decimal | null
  receivedQuantity: Decimal | null
  receivedCost: Decimal | null
  expectedOn: string | null
  at: string | null
  lines: DeliveryLine[]
}

/** One article of a delivery: a line of it, or several of the same article added up. */
export interface DeliveryLine {
  /** The GTIN, else the platform's own identifier. */
  article: string
  gtin: string | null
  /** The platform's own name of the line, whether it says the GTIN or not. */
  identifier: string | null
  /** The product (spec L194), as the platform's list says it: a webhook does not, as the six below. */
  productId: string | null
  name: string | null
  number: string | null
  variant: string | null
  color: string | null
  /** The size. */
  label: string | null
  description: string | null
  expected: Decimal | null
  /** The pieces received, all in all. */
  received: Decimal
  /** The cost of one piece. Null: nobody said. */
  cost: Money | null
  /** The level in the stock now, as the platform says. */
  currentLevel: Decimal | null
  /** The bookings of goods, time by time; none of a planned delivery before something has come. */
  movements: DeliveryMovement[]
}

/** Some of an article that came at one time. */
export interface DeliveryMovement {
  movementId: string | null
  at: string | null
  quantity: Decimal | null
  /** The cost of one piece. */
  cost: Money | null
}

/** Pieces of an article, in a count, an adjustment or a transfer. */
export interface GoodsLine {
  gtin: string | null
  sku: string | null
  quantity: Decimal
}

/** How long after a count the platform knows all of it (spec, Events 18: "a couple of seconds"; milliseconds). */
export const COUNT_SETTLED = 2_000

/** A stock was counted, or set by an adjust call (spec, Events 18). */
export interface StockCount {
  countId: string | null
  stockId: string | null
  stockNo: string | null
  description: string | null
  /** A complete count: an article that is not in it is at 0. */
  isComplete: boolean
  countedAt: string | null
  at: string | null
  /** The levels that were counted. */
  items: GoodsLine[]
  movements: GoodsMovement[]
}

/** A movement within another payload. */
export interface GoodsMovement {
  movementId: string | null
  stockId: string | null
  gtin: string | null
  sku: string | null
  type: string | null
  quantity: Decimal
  level: Decimal | null
}

/** Somebody corrected levels by hand (spec, Events 17). */
export interface StockAdjustment {
  adjustmentId: string | null
  stockId: string | null
  stockNo: string | null
  reason: string | null
  at: string | null
  /** Differences. */
  items: GoodsLine[]
  movements: GoodsMovement[]
}

/** Goods on their way from one stock to another (spec, Events 12 to 15). */
export interface Transfer {
  transferId: string | null
  fromStockId: string | null
  fromStockNo: string | null
  toStockId: string | null
  toStockNo: string | null
  status: string | null
  sentAt: string | null
  receivedAt: string | null
  /** `quantity` was sent; `received` has come. */
  lines: (GoodsLine & { received: Decimal | null })[]
}

/** Goods that are kept for somebody (spec, Events 20 and 21). */
export interface Reservation {
  reservationId: string | null
  stockId: string | null
  stockNo: string | null
  gtin: string | null
  sku: string | null
  quantity: Decimal | null
  /** The number of the order that it is for. */
  orderNo: string | null
  /** `Created`, `Released`, `Expired`, as written. */
  status: string | null
  at: string | null
  expiresAt: string | null
  releasedAt: string | null
}
