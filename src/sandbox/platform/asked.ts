import { z } from 'zod'

/** Forms have only texts. */
const Flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')])

const Store = z.string().describe("A store's number")

const Line = z.strictObject({
  sku: z.string(),
  /** Negative: it comes back. */
  quantity: z.exactOptional(
    z
      .int()
      .min(-999)
      .max(999)
      .refine((quantity) => quantity !== 0, 'Nothing cannot be sold.'),
  ),
})

const SALE = {
  store: z.exactOptional(Store),
  lines: z.exactOptional(z.array(Line).min(1).max(100)),
  /** One more line, of an article that the online shop does not have. */
  unknownLine: z.exactOptional(Flag),
}

/** What a person may say about a sale; the rest is chosen. */
export const AskedSale = z.strictObject(SALE)
export type AskedSale = z.infer<typeof AskedSale>

/** What a person may say about a sale with a receipt to send. */
export const AskedReceipt = z.strictObject({ ...SALE, channel: z.exactOptional(z.enum(['Email', 'SMS'])) })
export type AskedReceipt = z.infer<typeof AskedReceipt>

/** What a person may say about a correction of stock. */
export const AskedMovement = z.strictObject({ store: z.exactOptional(Store), sku: z.exactOptional(z.string()) })
export type AskedMovement = z.infer<typeof AskedMovement>

/** How many sales at once; 100, if nobody says. */
export const AskedBurst = z.strictObject({ count: z.coerce.number().int().min(1).max(5_000).default(100) })
