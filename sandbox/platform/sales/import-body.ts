import { z } from 'zod'

/** 99 is the spec's; 1 (card) is outside the public list, and yet in its own example (facts, §1d). */
const PAYMENT_TYPES = [1, 5, 6, 7, 10, 99, 115, 116, 117, 124, 125, 128, 141]

/** An online order that is imported as a sale (spec, "Online order imported as a sale"). */
export const ImportedSale = z.object({
  saleGuid: z.guid(),
  extRef: z.exactOptional(z.string().nullable()),
  customerID: z.int().positive(),
  saleDateTime: z.iso.datetime({ local: true, offset: true }),
  salesLines: z
    .array(
      z.object({
        identity: z.string().min(1),
        /** The price of one, after discount, VAT included. */
        price: z.number().min(0),
        qty: z.int().refine((quantity) => quantity !== 0, 'Nothing cannot be sold.'),
        /** -1, or nothing: no stock changes. */
        stockid: z.int().default(-1),
      }),
    )
    .min(1),
  paymentLines: z
    .array(
      z.object({
        amount: z.number(),
        paymentType: z.int().refine((type) => PAYMENT_TYPES.includes(type), 'There is no such payment type.'),
      }),
    )
    .min(1),
})
export type ImportedSale = z.infer<typeof ImportedSale>

/** Every field's name, in the spec's case. */
export const IMPORTED_NAMES = [
  ...Object.keys(ImportedSale.shape),
  ...['identity', 'price', 'qty', 'stockid', 'amount', 'paymentType'],
]
