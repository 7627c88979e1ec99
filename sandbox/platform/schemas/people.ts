import { z } from 'zod'
import { LocalTime } from './parts.ts'

/** Facts, §4 "CustomerCreated payload". */
export const Customer = z.strictObject({
  customerId: z.int(),
  customerExtId: z.string().nullable(),
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  companyName: z.string(),
  taxId: z.string(),
  gender: z.string(),
  address1: z.string(),
  city: z.string(),
  province: z.string(),
  postalCode: z.string(),
  country: z.string(),
  countryCode: z.string(),
  phoneCountryPrefix: z.string(),
  phone: z.string(),
  description: z.string(),
  agreedSendEmail: z.boolean(),
  agreedSendSMS: z.boolean(),
  isEmployee: z.boolean(),
  birthday: z.string().nullable(),
  cardNo: z.string(),
  tags: z.string(),
  gdprUpdatedDateTime: LocalTime.nullable(),
  registeredStoreId: z.int().nullable(),
  createdDateTime: LocalTime,
  updatedDateTime: LocalTime,
  deleted: z.boolean(),
  customerGuid: z.guid(),
})

const PLACE = { stockName: z.string(), stockId: z.int(), posId: z.int(), personId: z.int() }

/** Spec, "Omnichannel order update webhook payload". */
export const OrderUpdate = z.strictObject({
  order: z.strictObject({
    orderNo: z.string(),
    id: z.guid(),
    status: z.enum(['UnHandled', 'Shipped', 'Picked', 'Rejected', 'Expired']),
    orderLines: z.array(
      z.strictObject({
        quantity: z.number(),
        gtin: z.string(),
        rowId: z.string().nullable(),
        status: z.string(),
      }),
    ),
    fulfillmentLocation: z.strictObject({
      ...PLACE,
      shipments: z.exactOptional(
        z.array(z.strictObject({ id: z.string(), items: z.array(z.strictObject({ gtin: z.string() })) })),
      ),
    }),
  }),
})

/** Spec, "Refund update webhook payload". */
export const RefundUpdate = z.strictObject({
  refund: z.strictObject({
    orderNo: z.string(),
    id: z.guid(),
    status: z.string(),
    isRefunded: z.boolean(),
    orderLines: z.array(
      z.strictObject({ quantity: z.number(), gtin: z.string(), id: z.string().nullable(), status: z.string() }),
    ),
    fulfillmentLocation: z.strictObject({ ...PLACE, shipmentInfo: z.array(z.string()) }),
  }),
})
