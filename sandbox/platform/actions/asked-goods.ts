import { z } from 'zod'
import { Flag, GOODS } from './asked.ts'
import { Id, Stock } from './asked-stock.ts'

const Cost = z.coerce.number().pipe(z.number().min(0).max(1_000_000))

/** Fields that a person may give for goods that are on their way. */
export const AskedDelivery = z.strictObject({
  stock: z.exactOptional(Stock),
  ...GOODS,
  /** The cost of one, in the stock's currency. */
  cost: z.exactOptional(Cost),
  reference: z.exactOptional(z.string()),
  /** The delivery is in the stock at once, and nobody receives it by hand. */
  direct: z.exactOptional(Flag),
})
export type AskedDelivery = z.infer<typeof AskedDelivery>

/** Fields that a person may give for goods that arrive: the latest open delivery, and all of it, if nobody says. */
export const AskedReceiving = z.strictObject({
  orderId: z.exactOptional(Id),
  ...GOODS,
  /** Half of what is missing, and at least one. */
  part: z.exactOptional(Flag),
  /** Nothing more will come. */
  close: z.exactOptional(Flag),
})
export type AskedReceiving = z.infer<typeof AskedReceiving>

/** Fields that a person may give for the cost price of a delivery: a tenth more than before, if nobody says. */
export const AskedCost = z.strictObject({
  orderId: z.exactOptional(Id),
  sku: z.exactOptional(z.string()),
  cost: z.exactOptional(Cost),
})
export type AskedCost = z.infer<typeof AskedCost>
