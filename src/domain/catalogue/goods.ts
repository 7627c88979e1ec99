import type { Decimal, Money } from '../values/money.ts'

/** Goods events. Only deliveries are documented; other fields by the table of kinds, missing is null. `at`: store-local, as written. */

/** Spec, "Delivery webhook payload". */
export interface Delivery {
  deliveryId: string
  reference: string | null
  stockId: string | null
  stockNo: string | null
  companyId: string | null
  type: string | null
  status: string | null
  isCompleted: boolean
  comment: string | null
  /** Only in the platform's list (spec L182-189), as the next five. */
  brand: string | null
  season: string | null
  orderType: string | null
  /** Sum of all lines; cost without VAT in the stock's currency. */
  expectedQuantity: Decimal | null
  expectedCost: Decimal | null
  receivedQuantity: Decimal | null
  receivedCost: Decimal | null
  expectedOn: string | null
  at: string | null
  lines: DeliveryLine[]
}

export interface DeliveryLine {
  article: string
  gtin: string | null
  identifier: string | null
  /** Spec L194; only in the platform's list, as the next six. */
  productId: string | null
  name: string | null
  number: string | null
  variant: string | null
  color: string | null
  label: string | null
  description: string | null
  expected: Decimal | null
  received: Decimal
  cost: Money | null
  currentLevel: Decimal | null
  movements: DeliveryMovement[]
}

export interface DeliveryMovement {
  movementId: string | null
  at: string | null
  quantity: Decimal | null
  cost: Money | null
}

export interface GoodsLine {
  gtin: string | null
  sku: string | null
  quantity: Decimal
}

/** Time until a count is complete on the platform (spec, Events 18: "a couple of seconds"; ms). */
export const COUNT_SETTLED = 2_000

/** Spec, Events 18. */
export interface StockCount {
  countId: string | null
  stockId: string | null
  stockNo: string | null
  description: string | null
  isComplete: boolean
  countedAt: string | null
  at: string | null
  items: GoodsLine[]
  movements: GoodsMovement[]
}

export interface GoodsMovement {
  movementId: string | null
  stockId: string | null
  gtin: string | null
  sku: string | null
  type: string | null
  quantity: Decimal
  level: Decimal | null
}

/** Spec, Events 17; differences. */
export interface StockAdjustment {
  adjustmentId: string | null
  stockId: string | null
  stockNo: string | null
  reason: string | null
  at: string | null
  items: GoodsLine[]
  movements: GoodsMovement[]
}

/** Spec, Events 12 to 15. */
export interface Transfer {
  transferId: string | null
  fromStockId: string | null
  fromStockNo: string | null
  toStockId: string | null
  toStockNo: string | null
  status: string | null
  sentAt: string | null
  receivedAt: string | null
  lines: (GoodsLine & { received: Decimal | null })[]
}

/** Spec, Events 20 and 21. */
export interface Reservation {
  reservationId: string | null
  stockId: string | null
  stockNo: string | null
  gtin: string | null
  sku: string | null
  quantity: Decimal | null
  orderNo: string | null
  status: string | null
  at: string | null
  expiresAt: string | null
  releasedAt: string | null
}
