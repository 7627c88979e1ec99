import { z } from 'zod'

/** Forms have only texts. */
export const Flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')])

/** How many; forms have only texts. */
export const Count = z.coerce.number().pipe(z.int().min(1).max(999))

export const StoreNo = z.string().describe("A store's number")

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

/** The goods: `lines`, or one article; the GTIN is as good as the SKU. */
export const GOODS = {
  lines: z.exactOptional(
    z
      .array(Line.extend({ quantity: z.exactOptional(z.int().min(1).max(999)) }))
      .min(1)
      .max(100),
  ),
  sku: z.exactOptional(z.string()),
  quantity: z.exactOptional(Count),
}

/** One of the POS of the store: 1 or 2 if nobody says; any other is new there. */
const PosOfStore = z.exactOptional(z.coerce.number().pipe(z.int().min(1).max(9)))

const SALE = {
  store: z.exactOptional(StoreNo),
  pos: PosOfStore,
  lines: z.exactOptional(z.array(Line).min(1).max(100)),
  /** One article, for whom lines are too much: a form. */
  sku: z.exactOptional(z.string()),
  quantity: z.exactOptional(Count),
  /** One more line, of an article that the online shop does not have. */
  unknownLine: z.exactOptional(Flag),
}

/** How it is paid: by card, if nobody says. `split`: half in cash, the rest by card. */
const Payment = z.enum(['card', 'cash', 'split', 'invoice', 'giftcard'])

/** Fields that a person may give for a sale; the rest is chosen. */
export const AskedSale = z.strictObject({
  ...SALE,
  payment: z.exactOptional(Payment),
  /** The gift card's number; one that has a balance, if nobody says. */
  giftCard: z.exactOptional(z.string()),
})
export type AskedSale = z.infer<typeof AskedSale>

/** Fields that a person may give for goods that come back; quantities are positive here. */
export const AskedReturn = z.strictObject({
  store: z.exactOptional(StoreNo),
  pos: PosOfStore,
  ...GOODS,
  payment: z.exactOptional(z.enum(['card', 'cash'])),
})
export type AskedReturn = z.infer<typeof AskedReturn>

/** Fields that a person may give for an order for the online shop. */
export const AskedOrder = z.strictObject(SALE)
export type AskedOrder = z.infer<typeof AskedOrder>

/** Fields that a person may give for a sale with a receipt to send. */
export const AskedReceipt = z.strictObject({ ...SALE, channel: z.exactOptional(z.enum(['Email', 'SMS'])) })
export type AskedReceipt = z.infer<typeof AskedReceipt>

/** Fields that a person may give for a basket that is to be paid online. */
export const AskedCheckout = z.strictObject({ store: z.exactOptional(StoreNo), ...GOODS })
export type AskedCheckout = z.infer<typeof AskedCheckout>

/** Fields that a person may give for a gift card that is sold: 500 in the store's currency, by card, if nobody says. */
export const AskedGiftCard = z.strictObject({
  store: z.exactOptional(StoreNo),
  amount: z.exactOptional(z.coerce.number().pipe(z.number().min(1).max(50_000).multipleOf(0.01))),
  payment: z.exactOptional(z.enum(['card', 'cash'])),
})
export type AskedGiftCard = z.infer<typeof AskedGiftCard>

/** Fields that a person may give for a correction of stock. */
export const AskedMovement = z.strictObject({ store: z.exactOptional(StoreNo), sku: z.exactOptional(z.string()) })
export type AskedMovement = z.infer<typeof AskedMovement>

/** One store, or each of them. */
export const AskedStore = z.strictObject({ store: z.exactOptional(StoreNo) })
export type AskedStore = z.infer<typeof AskedStore>

/** How many sales at once; 100, if nobody says. */
export const AskedBurst = z.strictObject({ count: z.coerce.number().int().min(1).max(5_000).default(100) })
