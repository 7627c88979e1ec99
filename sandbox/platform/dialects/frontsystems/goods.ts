import { z } from 'zod'
import {
  Amount,
  Flag,
  FlagOrNull,
  Text,
  TextOrNull,
  Time,
  TimeOrDay,
  TimeOrNull,
  Whole,
  WholeOrNull,
} from './values.ts'

/** `StockCountDto`: quantities are whole. */
export const Adjustment = z.strictObject({
  description: Text,
  stockId: WholeOrNull,
  stockExtId: TextOrNull,
  stockCountTime: TimeOrNull,
  isCompleteStockCount: Flag,
  saveAsStockCount: FlagOrNull,
  items: z
    .array(
      z.strictObject({
        gtin: TextOrNull,
        identity: TextOrNull,
        externalSKU: TextOrNull,
        quantity: z.int(),
        cost: z.number().nullable().exactOptional(),
        serials: z.array(z.string()).nullable().exactOptional(),
      }),
    )
    .exactOptional(),
})

export const StockFilter = z.strictObject({
  stockIds: z.array(z.int()).exactOptional(),
  useGTIN: Flag,
  pageSize: Whole,
  pageSkip: Whole,
  ins: Time.exactOptional(),
  suppressZeroes: Flag,
  excludeStockReservations: Flag,
})

const Goods = { gtin: Text, identity: Text, externalSKU: Text }

export const PurchaseOrder = z.strictObject({
  requestId: z.guid().exactOptional(),
  extStockId: Text,
  extRef: Text,
  stockId: Whole,
  storeId: Whole,
  orderDate: TimeOrDay.exactOptional(),
  expectedDeliveryDate: TimeOrDay.exactOptional(),
  comment: Text,
  insertAsConfirmed: Flag,
  orderLines: z.array(z.strictObject({ ...Goods, qty: z.number(), cost: Amount, sgtin: Text })).exactOptional(),
})

/** A correction of stock (facts, §3). */
export const Correction = z.strictObject({
  extRef: Text,
  stockId: z.int(),
  storeId: z.int(),
  comment: Text,
  orderLines: z.array(z.strictObject({ gtin: z.string(), qty: z.number() })),
})

export const Transfer = z.strictObject({
  extRef: Text,
  stockId: z.int(),
  storeId: Whole,
  toStockId: z.int(),
  orderDate: TimeOrDay.exactOptional(),
  expectedDeliveryDate: TimeOrDay.exactOptional(),
  comment: Text,
  insertAsRecevied: Flag,
  productLines: z
    .array(z.strictObject({ identity: Text, gtin: Text, qty: z.number(), cost: Amount, sgtin: Text }))
    .exactOptional(),
})

export const NewReservation = z.strictObject({
  stockId: z.int(),
  customerId: WholeOrNull,
  saleId: WholeOrNull,
  extId: TextOrNull,
  comment: TextOrNull,
  reservationLengthInHours: WholeOrNull,
  items: z.array(z.strictObject({ ...Goods, qty: z.number() })),
})

export const ReservationChange = z.strictObject({
  reservationLengthInHours: WholeOrNull,
  qty: z.number().exactOptional(),
})
