import { z } from 'zod'
import { Day, LocalTime, STOCK } from './parts.ts'

/** Spec, "Delivery webhook payload". */
export const Delivery = z.strictObject({
  ...STOCK,
  stockExtId: z.string().nullable(),
  isCompleted: z.boolean(),
  products: z.array(
    z.strictObject({
      identifier: z.string(),
      gtin: z.string(),
      quantityExpected: z.number(),
      quantityReceived: z.number(),
      currentStockLevel: z.number(),
      costPrice: z.number().nullable(),
      costPriceCurrency: z.string(),
      stockMovements: z.array(
        z.strictObject({
          movementId: z.int(),
          createdDateTime: LocalTime,
          quantity: z.number(),
          costPrice: z.number(),
        }),
      ),
    }),
  ),
  expectedDeliveryDate: Day,
  orderId: z.int(),
  orderReference: z.string(),
  comment: z.string(),
  type: z.enum(['DirectDelivery', 'PlannedDelivery']),
  // The spec shows `Delivered` only.
  status: z.string(),
  createdDateTime: LocalTime,
  updatedDateTime: LocalTime,
})
