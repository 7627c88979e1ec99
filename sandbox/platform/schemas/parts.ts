import { z } from 'zod'

/** The store's wall clock, or UTC: without a zone either way. */
export const LocalTime = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?$/)

export const Day = z.string().regex(/^\d{4}-\d\d-\d\d$/)

/** The fields of movements within other payloads. */
export const StockMovement = z.strictObject({
  companyId: z.int(),
  movementId: z.int(),
  stockId: z.int(),
  stockExtId: z.string(),
  sku: z.string(),
  gtin: z.string(),
  type: z.enum([
    'Sale',
    'Manual',
    'PurchaseOrderReceived',
    'Relocation',
    'Reconciliation',
    'Bestilling',
    'Cancelled',
    'PurchaseOrderOrdered',
  ]),
  quantity: z.number(),
  stockLevel: z.number(),
  createdDateTime: LocalTime,
})

/** Where and in which store something happened. */
export const PLACE = { companyId: z.int(), storeId: z.int(), storeExtId: z.string() }

/** In which stock. */
export const STOCK = { companyId: z.int(), stockId: z.int(), stockExtId: z.string() }
