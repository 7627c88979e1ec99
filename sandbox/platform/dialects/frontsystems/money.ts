import { z } from 'zod'
import { Text, Whole, WholeOrNull } from './values.ts'

/* What is said of points, gift cards, vouchers and corrections (facts, §3). */

export const Points = z.strictObject({ customerId: z.int(), amount: z.int(), comment: Text, saleId: WholeOrNull })

export const CardBooking = z.strictObject({ saleId: WholeOrNull, amount: z.number(), comment: Text })

export const NewVoucher = z.strictObject({ amount: z.number(), storeId: Whole, storeExtId: Text })

export const Correction = z.strictObject({
  extRef: Text,
  stockId: z.int(),
  storeId: z.int(),
  comment: Text,
  orderLines: z.array(z.strictObject({ gtin: z.string(), qty: z.number() })),
})
