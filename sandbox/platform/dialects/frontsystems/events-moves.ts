import { z } from 'zod'
import type { ProductTransfer } from '../../schemas/goods.ts'
import { LocalTime } from '../../schemas/parts.ts'
import type { StockReservation } from '../../schemas/reservations.ts'
import { nearest } from './nearest.ts'

export const reservation = nearest(
  z.strictObject({
    stockreservationId: z.int(),
    reservationGuid: z.guid(),
    stockidFk: z.int(),
    saleidFk: z.int().nullable(),
    gtin: z.string(),
    qty: z.number(),
    extId: z.string().nullable(),
    ins: LocalTime,
    isReleased: z.boolean(),
    deleted: z.boolean(),
  }),
  (from: z.infer<typeof StockReservation>) => ({
    // A number for the GUID, the same each time.
    stockreservationId: Number.parseInt(from.id.slice(0, 7), 16) + 1,
    reservationGuid: from.id,
    stockidFk: from.stockId,
    saleidFk: null,
    gtin: from.gtin,
    qty: from.quantity,
    extId: from.extId,
    ins: from.createdDateTime,
    isReleased: from.status !== 'Created',
    deleted: false,
  }),
)

/** `ProductMove`: it has no id. */
export const transfer = nearest(
  z.strictObject({
    extRef: z.string(),
    stockId: z.int(),
    toStockId: z.int(),
    orderDate: LocalTime,
    productLines: z.array(z.strictObject({ gtin: z.string(), qty: z.number() })),
  }),
  (from: z.infer<typeof ProductTransfer>) => ({
    extRef: `T-${from.transferId}`,
    stockId: from.fromStockId,
    toStockId: from.toStockId,
    orderDate: from.createdDateTime,
    productLines: from.products.map(({ gtin, quantity }) => ({ gtin, qty: quantity })),
  }),
)
