import { z } from 'zod'
import { LocalTime, STOCK } from './parts.ts'

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
