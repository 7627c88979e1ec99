import {
  type Contact,
  type Decimal,
  type Goods,
  type OrderLineUpdate,
  ofArticle,
  PermanentError,
  parseDecimal,
  phoneOf,
} from 'tillbridge/adapter'
import { z } from 'zod'
import type { VendureOptions } from '../options.ts'

export const Id = z.union([z.string(), z.number()]).transform(String)
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
  /** With tax and every discount. */
  proratedUnitPriceWithTax: z.int(),
  proratedLinePriceWithTax: z.int(),
  taxRate: z.number(),
  productVariant: z.object({ id: Id, sku: z.string(), name: z.string(), customFields: CustomFields }),
  fulfillmentLines: z
    .array(z.object({ quantity: z.int(), fulfillment: z.object({ id: Id, state: z.string() }) }))
    .nullish(),
})

/** Amounts are whole numbers of the smallest unit. */
export const ShopOrder = z.object({
  id: Id,
  code: z.string(),
  state: z.string(),
  /** `Aggregate`: each of its sellers has an order besides. */
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

export function customField(
  { customFields }: { customFields?: Record<string, unknown> | null | undefined },
  name: string | undefined,
): string | null {
  const value = name === undefined ? null : customFields?.[name]
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null
}

export function refundable({ amount, state, refunds }: ShopPayment): number {
  if (state !== 'Settled') return 0
  const returned = refunds.filter((refund) => refund.state !== 'Failed').map(({ total }) => total)
  return amount - returned.reduce((sum, total) => sum + total, 0)
}

export function surplus(order: ShopOrder): number {
  return order.payments.reduce((sum, payment) => sum + refundable(payment), 0) - order.totalWithTax
}

/** Other states are the shop's own, and believed. */
const BROUGHT_NOTHING = new Set(['Created', 'Authorized', 'Declined', 'Error', 'Cancelled'])

/** Before refunds. 0 without payments: the shop has a process of its own. */
export function notPaid({ payments, totalWithTax }: ShopOrder): number {
  if (payments.length === 0) return 0
  const paid = payments.filter(({ state }) => !BROUGHT_NOTHING.has(state)).reduce((sum, { amount }) => sum + amount, 0)
  return Math.max(0, totalWithTax - paid)
}

export function unfulfilled({ quantity, fulfillmentLines }: ShopLine): number {
  const taken = (fulfillmentLines ?? []).filter(({ fulfillment }) => fulfillment.state !== 'Cancelled')
  return quantity - taken.reduce((sum, line) => sum + line.quantity, 0)
}

/** Key in the metadata of payments. */
export const PAYMENT_MARK = 'tillbridge'

export function marked(text: string, key: string): string {
  return `${text} [tillbridge ${key}]`
}

export function hasMark(text: unknown, key: string): boolean {
  return typeof text === 'string' && text.includes(`[tillbridge ${key}]`)
}

/** Those by the hub: no change by the shop. */
export function ourCancellations({ history }: ShopOrder): Record<string, unknown>[] {
  return history.items
    .filter(({ type, data }) => type === 'ORDER_CANCELLATION' && String(data.reason).includes('[tillbridge '))
    .map(({ data }) => data)
}

export function hasMarkedNote({ history }: ShopOrder, key: string): boolean {
  return history.items.some(({ type, data }) => type === 'ORDER_NOTE' && hasMark(data.note, key))
}

export function isFromPos(order: ShopOrder): boolean {
  return posKeyOf(order) !== null
}

export function posKeyOf({ payments }: ShopOrder): string | null {
  const keys = payments.map(({ metadata }): unknown => Object(metadata)[PAYMENT_MARK])
  return keys.find((key) => typeof key === 'string') ?? null
}

/** Vendure has one field for the name. */
export function contactOf(address: Partial<ShopAddress> | null | undefined): Contact {
  const [firstName, ...rest] = (address?.fullName ?? '').split(' ').filter(Boolean)
  return {
    email: null,
    phone: address?.phoneNumber || null,
    firstName: firstName ?? null,
    lastName: rest.join(' ') || null,
    companyName: address?.company || null,
    address1: address?.streetLine1 || null,
    address2: address?.streetLine2 || null,
    city: address?.city || null,
    province: address?.province || null,
    postalCode: address?.postalCode || null,
    country: address?.country || null,
    countryCode: address?.countryCode || null,
  }
}

export function buyerOf({ customer, shippingAddress, billingAddress }: ShopOrder): Contact {
  const country = shippingAddress?.countryCode ?? billingAddress?.countryCode ?? null
  return {
    ...contactOf(billingAddress),
    email: customer?.emailAddress || null,
    phone: phoneOf(null, customer?.phoneNumber ?? null, country),
    firstName: customer?.firstName || null,
    lastName: customer?.lastName || null,
  }
}

export function gtinOf({ productVariant }: ShopLine, { gtinField }: Pick<VendureOptions, 'gtinField'>): string {
  return customField(productVariant, gtinField) ?? productVariant.sku
}

/** By GTIN, or by row id without one. Throws PermanentError `no-line`. */
export function lineOf(
  order: ShopOrder,
  { rowId, gtin }: Pick<OrderLineUpdate, 'rowId' | 'gtin'>,
  options: Pick<VendureOptions, 'gtinField'>,
): ShopLine {
  const same = gtin === null ? [] : ofArticle(order.lines, (line) => [gtinOf(line, options)], gtin)
  const byRow = (lines: ShopLine[]) => lines.find(({ id }) => id === rowId)
  const found = same.length > 0 ? (byRow(same) ?? same[0]) : gtin === null ? byRow(order.lines) : undefined
  if (found) return found
  throw new PermanentError(`order ${order.code} has no line with the GTIN ${gtin ?? 'none'} (row ${rowId ?? 'none'})`, {
    code: 'no-line',
  })
}

export function countOf(order: ShopOrder, { rowId, gtin }: Goods, options: Pick<VendureOptions, 'gtinField'>): Decimal {
  const lines =
    gtin === null
      ? order.lines.filter(({ id }) => id === rowId)
      : ofArticle(order.lines, (line) => [gtinOf(line, options)], gtin)
  return parseDecimal(lines.reduce((sum, { quantity }) => sum + quantity, 0))
}

export function pieces(quantity: Decimal): number {
  if (/^[1-9]\d{0,8}$/.test(quantity)) return Number(quantity)
  throw new PermanentError(`a quantity of ${quantity} cannot be told to Vendure, which counts in whole pieces`, {
    code: 'no-pieces',
  })
}

/** Of a surcharge for what a line cost more or less at the POS. */
export const OWN_PRICE = 'Price at the POS: '

/** The shop's price and a share of the POS's difference. */
export function priceOf(order: ShopOrder, line: ShopLine, quantity: number): number {
  const { sku } = line.productVariant
  const [own] = order.surcharges.filter(
    ({ description, sku: named }) => named === sku && description.startsWith(OWN_PRICE),
  )
  const placed = Number(/ \((\d+)\)$/.exec(own?.description ?? '')?.[1] ?? quantity)
  return line.proratedUnitPriceWithTax * quantity + Math.round(((own?.priceWithTax ?? 0) * quantity) / placed)
}
