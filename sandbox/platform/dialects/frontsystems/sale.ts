import { z } from 'zod'
import { Amount, Flag, Text, Time, Whole } from './values.ts'

/** `Websale`. */
export const Sale = z.strictObject({
  saleGuid: z.guid(),
  customerID: z.int(),
  extRef: Text,
  saleDateTime: Time.exactOptional(),
  isComplete: Flag,
  isVoided: Flag,
  comment: Text,
  salesLines: z
    .array(
      z.strictObject({
        identity: z.string(),
        text: Text,
        price: z.number(),
        qty: z.number(),
        stockID: Whole,
        vat: Amount,
      }),
    )
    .exactOptional(),
  paymentLines: z
    .array(
      z.strictObject({
        extRef: Text,
        currency: Text,
        amount: z.number(),
        paymentType: z.int(),
        cardType: Whole,
        responseBody: Text,
      }),
    )
    .exactOptional(),
})
