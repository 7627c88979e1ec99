import { z } from 'zod'
import type { StockAdjustment, StockCount } from '../../schemas/goods.ts'
import { LocalTime } from '../../schemas/parts.ts'
import { nearest } from './nearest.ts'

export const count = nearest(
  z.strictObject({
    stockCountId: z.int(),
    name: z.string(),
    dateCounted: LocalTime,
    // The one name that the specification has (Events 18).
    countedDateTime: LocalTime,
    stockId: z.int(),
    extStockId: z.string(),
    isReconciled: z.boolean(),
    countDetails: z.array(
      z.strictObject({
        productId: z.int(),
        gtin: z.string(),
        externalSku: z.string(),
        qty: z.number(),
        isValid: z.boolean(),
      }),
    ),
  }),
  (from: z.infer<typeof StockCount>) => ({
    stockCountId: from.stockCountId,
    name: from.description,
    dateCounted: from.countedDateTime,
    countedDateTime: from.countedDateTime,
    stockId: from.stockId,
    extStockId: from.stockExtId,
    isReconciled: true,
    countDetails: from.items.map(({ productId, gtin, sku, quantity }) => ({
      productId,
      gtin,
      externalSku: sku,
      qty: quantity,
      isValid: true,
    })),
  }),
)

/** A correction by differences (`PurchaseOrder/correction`): it has no id either. */
export const adjustment = nearest(
  z.strictObject({
    extRef: z.string(),
    stockId: z.int(),
    comment: z.string(),
    orderLines: z.array(z.strictObject({ gtin: z.string(), qty: z.number() })),
  }),
  (from: z.infer<typeof StockAdjustment>) => ({
    extRef: `A-${from.adjustmentId}`,
    stockId: from.stockId,
    comment: from.reason,
    orderLines: from.items.map(({ gtin, quantity }) => ({ gtin, qty: quantity })),
  }),
)
