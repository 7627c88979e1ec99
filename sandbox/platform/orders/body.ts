import { z } from 'zod'

const Text = z.exactOptional(z.string().nullable())

/** As the spec writes amounts and quantities of orders: text. A number is refused. */
const Decimal = z
  .string('This must be a decimal number as text.')
  .regex(/^-?\d{1,9}(\.\d{1,4})?$/, 'This is no decimal number.')

const Address = z.object({
  firstName: Text,
  lastName: Text,
  companyName: Text,
  address1: Text,
  address2: Text,
  city: Text,
  province: Text,
  postalCode: Text,
  country: Text,
  countryCode: Text,
  comment: Text,
})

/** An online order for a store (spec, "Omnichannel order"). Fields that the spec does not know are not kept. */
export const OrderBody = z.object({
  orderNo: z.string().min(1),
  reservationLengthInHours: z.exactOptional(z.int().positive().nullable()),
  billingAddress: z.exactOptional(Address.nullable()),
  customer: z.object({ firstName: Text, lastName: Text, email: Text, phone: Text, phoneCountryCode: Text }),
  /** Left out: the customer comes to the store. */
  shippingAddress: z.exactOptional(Address.nullable()),
  orderLines: z
    .array(
      z.object({
        gtin: z.string().min(1),
        price: Decimal,
        quantity: Decimal.refine(
          (text) => Number.isInteger(Number(text)) && Number(text) > 0,
          'This must be 1 or more.',
        ),
      }),
    )
    .min(1),
  /** Left out or empty: the customer pays in the store. */
  paymentLines: z.exactOptional(
    z.array(z.object({ amount: Decimal, currency: z.string().length(3), type: z.string().min(1) })).nullable(),
  ),
  receiptUrl: Text,
  saleDateTime: z.exactOptional(z.iso.datetime({ offset: true, local: true })),
  status: z.literal('UnHandled', 'A new order is UnHandled.'),
  store: z.exactOptional(z.object({ storeName: Text }).nullable()),
})
export type OrderBody = z.infer<typeof OrderBody>
