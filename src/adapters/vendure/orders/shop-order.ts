import { z } from 'zod'

const Id = z.union([z.string(), z.number()]).transform(String)
const CustomFields = z.record(z.string(), z.unknown()).nullish()
const text = z.string().nullish()

const Address = z.object({
  fullName: text,
  company: text,
  streetLine1: text,
  streetLine2: text,
  city: text,
  province: text,
  postalCode: text,
  country: text,
  countryCode: text,
  phoneNumber: text,
})

const Refund = z.object({
  id: Id,
  total: z.int(),
  state: z.string(),
  reason: text,
  lines: z.array(z.object({ orderLineId: Id, quantity: z.int() })),
})

const Payment = z.object({
  id: Id,
  method: z.string(),
  amount: z.int(),
  state: z.string(),
  transactionId: text,
  metadata: z.unknown(),
  refunds: z.array(Refund),
})

const Line = z.object({
  id: Id,
  quantity: z.int(),
  /** The price that is paid for one piece, with tax and every discount. */
  proratedUnitPriceWithTax: z.int(),
  proratedLinePriceWithTax: z.int(),
  /** A percentage. */
  taxRate: z.number(),
  productVariant: z.object({ id: Id, sku: z.string(), name: z.string(), customFields: CustomFields }),
  fulfillmentLines: z
    .array(z.object({ quantity: z.int(), fulfillment: z.object({ id: Id, state: z.string() }) }))
    .nullish(),
})

/** An order as the Admin API shows it: what of it matters here. Amounts are whole numbers of the smallest unit. */
export const ShopOrder = z.object({
  id: Id,
  /** The code that people know the order by. */
  code: z.string(),
  state: z.string(),
  /** `Aggregate`: of a shop with several sellers, which has an order of each besides. */
  type: z.string().nullish(),
  createdAt: z.iso.datetime({ offset: true }),
  updatedAt: z.iso.datetime({ offset: true }),
  orderPlacedAt: z.iso.datetime({ offset: true }).nullish(),
  currencyCode: z.string(),
  totalWithTax: z.int(),
  shippingWithTax: z.int(),
  customer: z.object({ id: Id, firstName: text, lastName: text, emailAddress: text, phoneNumber: text }).nullish(),
  shippingAddress: Address.nullish(),
  billingAddress: Address.nullish(),
  lines: z.array(Line),
  surcharges: z.array(z.object({ description: z.string(), sku: text, priceWithTax: z.int() })),
  shippingLines: z.array(z.object({ shippingMethod: z.object({ code: z.string() }) })),
  payments: z
    .array(Payment)
    .nullish()
    .transform((payments) => payments ?? []),
  fulfillments: z
    .array(
      z.object({
        id: Id,
        state: z.string(),
        trackingCode: text,
        updatedAt: z.iso.datetime({ offset: true }).nullish(),
      }),
    )
    .nullish()
    .transform((fulfillments) => fulfillments ?? []),
  history: z.object({
    items: z.array(z.object({ type: z.string(), isPublic: z.boolean(), data: z.record(z.string(), z.unknown()) })),
  }),
  customFields: CustomFields,
})

export type ShopOrder = z.output<typeof ShopOrder>
export type ShopLine = ShopOrder['lines'][number]
export type ShopPayment = ShopOrder['payments'][number]
export type ShopAddress = NonNullable<ShopOrder['shippingAddress']>

/** A custom field as text; null where there is none. */
export function customField(
  { customFields }: { customFields?: Record<string, unknown> | null | undefined },
  name: string | undefined,
): string | null {
  const value = name === undefined ? null : customFields?.[name]
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null
}

/** The money that an order may still give back of a payment. */
export function refundable({ amount, state, refunds }: ShopPayment): number {
  if (state !== 'Settled') return 0
  const returned = refunds.filter((refund) => refund.state !== 'Failed').map(({ total }) => total)
  return amount - returned.reduce((sum, total) => sum + total, 0)
}

/** The money that the shop has beyond what the order costs. */
export function surplus(order: ShopOrder): number {
  return order.payments.reduce((sum, payment) => sum + refundable(payment), 0) - order.totalWithTax
}

/** States of Vendure's own payment process in which no money has come. Any other is the shop's own word, and is believed. */
const BROUGHT_NOTHING = new Set(['Created', 'Authorized', 'Declined', 'Error', 'Cancelled'])

/**
 * The part of an order's price that no payment covers, money that was given back later left aside. 0: an order without any
 * payment, too, as only a shop whose own process has it paid elsewhere lets that be placed.
 */
export function notPaid({ payments, totalWithTax }: ShopOrder): number {
  if (payments.length === 0) return 0
  const paid = payments.filter(({ state }) => !BROUGHT_NOTHING.has(state)).reduce((sum, { amount }) => sum + amount, 0)
  return Math.max(0, totalWithTax - paid)
}

/** How many of a line no fulfilment has yet. */
export function unfulfilled({ quantity, fulfillmentLines }: ShopLine): number {
  const taken = (fulfillmentLines ?? []).filter(({ fulfillment }) => fulfillment.state !== 'Cancelled')
  return quantity - taken.reduce((sum, line) => sum + line.quantity, 0)
}
