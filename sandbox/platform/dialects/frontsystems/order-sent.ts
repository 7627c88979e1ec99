import { z } from 'zod'
import { Amount, Text, TextOrNull, Time, Whole } from './values.ts'

const Address = z.strictObject({
  firstName: TextOrNull,
  lastName: TextOrNull,
  companyName: TextOrNull,
  address1: TextOrNull,
  address2: TextOrNull,
  city: TextOrNull,
  province: TextOrNull,
  postalCode: TextOrNull,
  country: TextOrNull,
  countryCode: TextOrNull,
  comment: TextOrNull,
})

/** `OmniChannel.Order` as it may be sent (facts, §3): amounts are numbers. What only the platform writes is left out here. */
export const Order = z.strictObject({
  orderNo: z.string(),
  orderType: z.enum(['Unknown', 'Kiosk', 'BOPIS', 'BOSS', 'ROPIS', 'Return', 'Service']).exactOptional(),
  receiptNo: TextOrNull,
  receiptUrl: TextOrNull,
  createdDateTime: Time.exactOptional(),
  dueDateTime: Time.nullable().exactOptional(),
  expirationDateTime: Time.nullable().exactOptional(),
  comment: TextOrNull,
  reservationLengthInHours: z.int().nullable().exactOptional(),
  shipmentInfo: TextOrNull,
  paymentLines: z
    .array(
      z.strictObject({
        type: TextOrNull,
        subType: TextOrNull,
        currency: TextOrNull,
        currencyTendered: z.number().nullable().exactOptional(),
        txRef: TextOrNull,
        text: TextOrNull,
        amount: z.number(),
        rowId: TextOrNull,
      }),
    )
    .nullable()
    .exactOptional(),
  orderLines: z.array(
    z.strictObject({
      quantity: z.number(),
      gtin: z.string().nullable(),
      price: z.number(),
      vat: Amount,
      vatPercent: Amount,
      fullPrice: Amount,
      discount: Amount,
      discountPercent: Amount,
      sizeText: TextOrNull,
      rowId: TextOrNull,
      externalSKU: TextOrNull,
      receiptLabel: TextOrNull,
      status: z.enum(['UnHandled', 'Accepted', 'Rejected']).exactOptional(),
      shipFromOnlineStore: z.boolean().nullable().exactOptional(),
    }),
  ),
  store: z
    .strictObject({
      storeExtId: TextOrNull,
      storeName: TextOrNull,
      organizationNumber: TextOrNull,
      posId: Whole,
      posName: TextOrNull,
      salesPerson: TextOrNull,
      currency: TextOrNull,
      address: Address.exactOptional(),
    })
    .exactOptional(),
  customer: z.strictObject({
    email: TextOrNull,
    firstName: TextOrNull,
    lastName: TextOrNull,
    companyName: TextOrNull,
    taxId: TextOrNull,
    phoneCountryPrefix: TextOrNull,
    phone: TextOrNull,
    address: Address.exactOptional(),
  }),
  shippingAddress: Address.exactOptional(),
  vatTotal: Amount,
  total: Amount,
  status: z.enum(['UnHandled', 'Shipped', 'Rejected', 'Picked', 'Returned']).exactOptional(),
  orderId: Whole,
  receiptFormatted: Text,
})
