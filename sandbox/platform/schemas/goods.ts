import { z } from 'zod'
import { Day, LocalTime, STOCK, StockMovement } from './parts.ts'

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

export const StockAdjustment = z.strictObject({
  ...STOCK,
  adjustmentId: z.int(),
  reason: z.string(),
  createdDateTime: LocalTime,
  items: z.array(z.strictObject({ gtin: z.string(), sku: z.string(), quantity: z.number(), stockLevel: z.number() })),
  stockMovements: z.array(StockMovement),
})

export const StockCount = z.strictObject({
  ...STOCK,
  stockCountId: z.int(),
  description: z.string(),
  isCompleteStockCount: z.boolean(),
  countedDateTime: LocalTime,
  createdDateTime: LocalTime,
  items: z.array(
    z.strictObject({
      identity: z.string(),
      gtin: z.string(),
      sku: z.string(),
      productId: z.int(),
      quantity: z.number(),
    }),
  ),
  stockMovements: z.array(StockMovement),
})

export const ProductTransfer = z.strictObject({
  companyId: z.int(),
  transferId: z.int(),
  fromStockId: z.int(),
  fromStockExtId: z.string(),
  toStockId: z.int(),
  toStockExtId: z.string(),
  isVirtual: z.boolean(),
  status: z.enum(['Sent', 'Received']),
  createdDateTime: LocalTime,
  receivedDateTime: LocalTime.nullable(),
  products: z.array(
    z.strictObject({ gtin: z.string(), sku: z.string(), quantity: z.number(), quantityReceived: z.number() }),
  ),
  stockMovements: z.array(
    StockMovement.pick({ movementId: true, stockId: true, gtin: true, quantity: true, createdDateTime: true }),
  ),
})

export const StockReservation = z.strictObject({
  ...STOCK,
  id: z.guid(),
  customerId: z.int().nullable(),
  extId: z.string().nullable(),
  gtin: z.string(),
  externalSKU: z.string(),
  identity: z.string(),
  quantity: z.number(),
  createdDateTime: LocalTime,
  expirationDateTime: LocalTime,
  releasedDateTime: LocalTime.nullable(),
  status: z.enum(['Created', 'Released', 'Expired']),
})
