import type { Texts } from '../values/field.ts'
import type { Decimal, Money } from '../values/money.ts'

/** Only goods deliveries are documented; others are read by the table of kinds. `at`: store-local, as written. */

type Decimals<Name extends string> = Record<Name, Decimal | null>

/** Spec, "Delivery webhook payload". */
export interface Delivery
  extends Texts<
      'reference' | 'stockId' | 'stockNo' | 'companyId' | 'type' | 'status' | 'comment' | 'expectedOn' | 'at'
    >,
    Texts<'brand' | 'season' | 'orderType'>,
    Decimals<'expectedQuantity' | 'expectedCost' | 'receivedQuantity' | 'receivedCost'> {
  deliveryId: string
  isCompleted: boolean
  lines: DeliveryLine[]
}

export interface DeliveryLine
  extends Texts<'gtin' | 'identifier'>,
    Texts<'productId' | 'name' | 'number' | 'variant' | 'color' | 'label' | 'description'>,
    Decimals<'expected' | 'currentLevel'> {
  article: string
  received: Decimal
  cost: Money | null
  movements: DeliveryMovement[]
}

export interface DeliveryMovement extends Texts<'movementId' | 'at'> {
  quantity: Decimal | null
  cost: Money | null
}

export interface GoodsLine extends Texts<'gtin' | 'sku'> {
  quantity: Decimal
}

/** Time until a count is complete on the platform (spec, Events 18: "a couple of seconds"; ms). */
export const COUNT_SETTLED = 2_000

/** Spec, Events 18. `isComplete`: missing articles are at 0. */
export interface StockCount extends Texts<'countId' | 'stockId' | 'stockNo' | 'description' | 'countedAt' | 'at'> {
  isComplete: boolean
  items: GoodsLine[]
  movements: GoodsMovement[]
}

export interface GoodsMovement extends GoodsLine, Texts<'movementId' | 'stockId' | 'type'> {
  level: Decimal | null
}

/** Spec, Events 17; differences. */
export interface StockAdjustment extends Texts<'adjustmentId' | 'stockId' | 'stockNo' | 'reason' | 'at'> {
  items: GoodsLine[]
  movements: GoodsMovement[]
}

/** Spec, Events 12 to 15. `quantity` of a line: sent. */
export interface Transfer
  extends Texts<'transferId' | 'fromStockId' | 'fromStockNo' | 'toStockId' | 'toStockNo' | 'status'>,
    Texts<'sentAt' | 'receivedAt'> {
  lines: (GoodsLine & { received: Decimal | null })[]
}

/** Spec, Events 20 and 21. */
export interface Reservation
  extends Texts<'reservationId' | 'stockId' | 'stockNo' | 'gtin' | 'sku' | 'orderNo' | 'status'>,
    Texts<'at' | 'expiresAt' | 'releasedAt'> {
  quantity: Decimal | null
}
