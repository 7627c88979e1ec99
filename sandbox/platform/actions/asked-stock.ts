import { z } from 'zod'
import { Count, Flag, GOODS } from './asked.ts'

/** A stock: the number of its store, or `WEB`. */
export const Stock = z.string().describe("A stock: its store's number, or WEB")

const Level = z.coerce.number().pipe(z.int().min(0).max(99_999))

export const Id = z.coerce.number().pipe(z.int().positive())

/** Fields that a person may give for a count: one piece is missing, if nobody says. */
export const AskedCount = z.strictObject({
  stock: z.exactOptional(Stock),
  lines: z.exactOptional(
    z
      .array(z.strictObject({ sku: z.string(), quantity: Level }))
      .min(1)
      .max(1_000),
  ),
  sku: z.exactOptional(z.string()),
  /** The level that was counted. */
  quantity: z.exactOptional(Level),
  /** The count is of everything: what is not in it was not there. */
  complete: z.exactOptional(Flag),
})
export type AskedCount = z.infer<typeof AskedCount>

/** Fields that a person may give for a correction by hand: one piece broke, if nobody says. */
export const AskedAdjustment = z.strictObject({
  stock: z.exactOptional(Stock),
  sku: z.exactOptional(z.string()),
  /** The difference: below zero, it leaves the stock. */
  quantity: z.exactOptional(
    z.coerce
      .number()
      .pipe(z.int().min(-999).max(999))
      .refine((quantity) => quantity !== 0, 'Nothing cannot be corrected.'),
  ),
  reason: z.exactOptional(z.string()),
})
export type AskedAdjustment = z.infer<typeof AskedAdjustment>

/** Fields that a person may give for goods that go from one stock to another. */
export const AskedTransfer = z.strictObject({
  from: z.exactOptional(Stock),
  to: z.exactOptional(Stock),
  ...GOODS,
  /** The transfer is received at once. */
  received: z.exactOptional(Flag),
})
export type AskedTransfer = z.infer<typeof AskedTransfer>

/** The latest transfer that is on its way, if nobody says. */
export const AskedArrival = z.strictObject({ transferId: z.exactOptional(Id) })
export type AskedArrival = z.infer<typeof AskedArrival>

/** Fields that a person may give for goods that are kept for somebody: 72 hours, if nobody says. */
export const AskedReservation = z.strictObject({
  stock: z.exactOptional(Stock),
  ...GOODS,
  customerId: z.exactOptional(Id),
  hours: z.exactOptional(Count),
})
export type AskedReservation = z.infer<typeof AskedReservation>

/** The latest reservation that stands, if nobody says. */
export const AskedRelease = z.strictObject({ id: z.exactOptional(z.string()) })
export type AskedRelease = z.infer<typeof AskedRelease>
