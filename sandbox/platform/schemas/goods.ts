import { z } from 'zod'
import { LocalTime, STOCK, StockMovement } from './parts.ts'

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
