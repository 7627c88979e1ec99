import { z } from 'zod'
import { Count, Flag, GOODS, StoreNo } from './asked.ts'

const Text = z.exactOptional(z.string().min(1).max(200))

const PERSON = {
  store: z.exactOptional(StoreNo),
  firstName: Text,
  lastName: Text,
  email: z.exactOptional(z.email()),
  phone: Text,
}

/** Fields that a person may give for a new customer; the rest is chosen. */
export const AskedCustomer = z.strictObject(PERSON)
export type AskedCustomer = z.infer<typeof AskedCustomer>

/** The customer who changes, and what changes; the first customer has moved, if nobody says. */
export const AskedCustomerChange = z.strictObject({
  customerId: z.exactOptional(z.coerce.number().pipe(z.int().positive())),
  ...PERSON,
  address: Text,
  postalCode: Text,
  city: Text,
  agreedSendEmail: z.exactOptional(Flag),
  agreedSendSms: z.exactOptional(Flag),
  deleted: z.exactOptional(Flag),
})
export type AskedCustomerChange = z.infer<typeof AskedCustomerChange>

/** Fields that a person may give for an online order for a store; the customer fetches it, if nobody says. */
export const AskedOnlineOrder = z.strictObject({
  store: z.exactOptional(StoreNo),
  ...GOODS,
  orderNo: Text,
  /** The store sends it to the customer. */
  ship: z.exactOptional(Flag),
  /** The order is paid online already. */
  paid: z.exactOptional(Flag),
})
export type AskedOnlineOrder = z.infer<typeof AskedOnlineOrder>

/** The latest order with which this can be done, if nobody says. */
export const AskedOrderStep = z.strictObject({ orderNo: Text })
export type AskedOrderStep = z.infer<typeof AskedOrderStep>

/** One article that the store does not have; without `sku`, it has nothing of the order. */
export const AskedDecline = z.strictObject({ orderNo: Text, sku: Text })
export type AskedDecline = z.infer<typeof AskedDecline>

/** The goods that come back of an online order; of the latest one its first article, and the POS pays, if nobody says. */
export const AskedOrderReturn = z.strictObject({
  orderNo: Text,
  store: z.exactOptional(StoreNo),
  sku: Text,
  /** As the order lookup gave them. */
  gtin: Text,
  rowId: Text,
  quantity: z.exactOptional(Count),
  /** false: the online store must give the money back. */
  isRefunded: z.exactOptional(Flag),
})
export type AskedOrderReturn = z.infer<typeof AskedOrderReturn>

/** Fields that a person may give for a sale of the online store that is taken over, into the store whose country it was. */
export const AskedImport = z.strictObject({ store: z.exactOptional(StoreNo), ...GOODS, orderNo: Text })
export type AskedImport = z.infer<typeof AskedImport>
