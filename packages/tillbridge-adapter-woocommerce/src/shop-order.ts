import { Big } from 'big.js'
import {
  type Address,
  addMoney,
  allocateMoney,
  type Contact,
  type Customer,
  compareDecimals,
  type Money,
  money,
  parseDecimal,
  phoneOf,
  roundMoney,
  subtractMoney,
  type Texts,
} from 'tillbridge/adapter'
import { z } from 'zod'
import {
  amount,
  amountOrNone,
  flag,
  id,
  list,
  number,
  numberOrNone,
  optional,
  part,
  readable,
  text,
  textOrNone,
  word,
} from './document.ts'

export const Meta = z.object({ key: z.string(), value: z.unknown() })
/** A note that was made: another program than the shop gives no id. */
export const MadeNote = z.object({ id })
const Tax = z.object({ id, total: amountOrNone })

/** Amounts are without tax. */
const Cost = z.object({ id, total: amount, total_tax: amountOrNone, taxes: readable(Tax), meta_data: readable(Meta) })

const Line = Cost.extend({
  name: text,
  product_id: optional(id),
  variation_id: optional(id),
  sku: text,
  global_unique_id: text,
  quantity: number,
  price: optional(number),
  subtotal: optional(amount),
  bundled_items: readable(id),
  composite_children: readable(id),
}).transform((line) => ({ ...line, total_tax: taxInCoins(line) }))

export const ShopOrder = z.object({
  id,
  number: word,
  status: word,
  currency: word,
  total: amount,
  date_paid: textOrNone,
  payment_method: textOrNone,
  payment_url: text,
  meta_data: readable(Meta),
  line_items: list(Line),
  shipping_lines: list(Cost),
  fee_lines: list(Cost),
})

/** Its lines are negative, its amount is positive. */
export const ShopRefund = z.object({
  id,
  amount,
  reason: text,
  date_created_gmt: text,
  refunded_payment: flag,
  meta_data: readable(Meta),
  line_items: list(Cost.extend({ quantity: numberOrNone })),
  shipping_lines: list(Cost),
  fee_lines: list(Cost),
})

export type ShopCost = z.output<typeof Cost>
export type ShopLine = z.output<typeof Line>
export type ShopRefund = z.output<typeof ShopRefund>
export type ShopOrder = z.output<typeof ShopOrder>

/** Our meta data. A leading underscore hides it from the shop's staff. */
export const META = {
  key: '_tillbridge_key',
  draft: '_tillbridge_draft',
  ready: '_tillbridge_ready',
  collected: '_tillbridge_collected',
  paidWhenCollected: '_tillbridge_paid_when_collected',
  expired: '_tillbridge_expired',
  declined: '_tillbridge_declined_',
  shipment: '_tillbridge_shipment_',
  total: '_tillbridge_total',
  sku: '_tillbridge_sku',
  gtin: '_tillbridge_gtin',
  row: '_tillbridge_row',
  email: '_tillbridge_email',
  order: 'tillbridge_order',
  receipt: 'tillbridge_receipt',
  store: 'tillbridge_store',
  pos: 'tillbridge_pos',
  stockId: 'tillbridge_stock_id',
  stockName: 'tillbridge_stock_name',
  customer: 'tillbridge_customer',
  said: '_tillbridge_said',
  problem: 'tillbridge_problem',
} as const

/** Decimals in which WooCommerce computes. */
const COMPUTED = 6

/** The shop rounds net and tax: without decimals, 12.50 and 1.50 of 14.00 are 13 and 2. Price and taxes are exact, so tax becomes the rest. */
function taxInCoins({ total, total_tax, price, quantity, taxes }: TaxedLine): string {
  const isTold =
    typeof price === 'number' && taxes.length > 0 && taxes.every((tax) => Number.isFinite(Number(tax.total)))
  if (!isTold) return total_tax
  const decimals = total.split('.')[1]?.length ?? 0
  const exact = taxes.reduce((sum, tax) => sum.plus(tax.total), new Big(price).times(quantity))
  const whole = exact.round(COMPUTED, Big.roundHalfUp).round(decimals, Big.roundHalfUp)
  const off = whole.minus(total).minus(total_tax)
  const coin = new Big(10).pow(-decimals)
  return off.abs().gt(coin) ? total_tax : whole.minus(total).toFixed(decimals)
}

type TaxedLine = Pick<z.output<typeof Cost>, 'total' | 'total_tax' | 'taxes'> & {
  price?: number | null | undefined
  quantity: number
}

export function metaOf({ meta_data }: { meta_data: z.output<typeof Meta>[] }, key: string): string | null {
  const found = meta_data.find((meta) => meta.key === key)?.value
  return typeof found === 'string' || typeof found === 'number' ? String(found) : null
}

export function refundedOf(line: Pick<ShopCost, 'meta_data'>): number | null {
  const id = metaOf(line, '_refunded_item_id')
  return id === null ? null : Number(id)
}

type RefundedLine = ShopRefund['line_items'][number]

export function refundsOfLine(id: number, refunds: readonly Pick<ShopRefund, 'line_items'>[]): RefundedLine[] {
  return refunds.flatMap(({ line_items }) => line_items.filter((one) => refundedOf(one) === id))
}

export function piecesBack(lineId: number, refunds: readonly Pick<ShopRefund, 'line_items'>[]): number {
  return refundsOfLine(lineId, refunds).reduce((sum, { quantity }) => sum + Math.abs(quantity), 0)
}

/** WooCommerce dates the payment only of an order with a product of its own. */
export function isPaid({ date_paid, status }: Pick<ShopOrder, 'date_paid' | 'status'>): boolean {
  return Boolean(date_paid) || status === 'processing' || status === 'completed'
}

export function isOff({ status }: Pick<ShopOrder, 'status'>): boolean {
  return status === 'cancelled' || status === 'refunded' || status === 'trash'
}

/** Any other unpaid status was set by the shop's staff. */
export function awaitsPayment(order: ShopOrder): boolean {
  return !isPaid(order) && (order.status === 'pending' || order.status === 'failed')
}

export const ShopAddress = part({
  first_name: text,
  last_name: text,
  company: text,
  address_1: text,
  address_2: text,
  city: text,
  state: text,
  postcode: text,
  country: text,
  email: text,
  phone: text,
})

export type ShopAddress = z.output<typeof ShopAddress>

export type KnownAddress = { [Field in keyof ShopAddress]?: string | null | undefined }

export function contactOf(address: KnownAddress): Contact {
  const countryCode = address.country?.toUpperCase() ?? null
  return {
    email: address.email || null,
    phone: phoneOf(null, address.phone ?? null, countryCode),
    firstName: address.first_name || null,
    lastName: address.last_name || null,
    companyName: address.company || null,
    address1: address.address_1 || null,
    address2: address.address_2 || null,
    city: address.city || null,
    province: address.state || null,
    postalCode: address.postcode || null,
    country: null,
    countryCode,
  }
}

/** Times have no zone: `…_gmt` is UTC, others the shop's wall clock. */
export const WholeOrder = ShopOrder.extend({
  customer_id: optional(id),
  date_created: text,
  date_created_gmt: text,
  date_modified_gmt: text,
  date_paid_gmt: text,
  date_completed_gmt: text,
  payment_method_title: text,
  transaction_id: text,
  billing: ShopAddress,
  shipping: ShopAddress,
  shipping_lines: list(Cost.extend({ method_id: textOrNone, method_title: text, instance_id: text })),
  tax_lines: readable(z.object({ rate_id: id, rate_percent: optional(number) })),
  refunds: list(z.object({ id, reason: text })),
})

export type WholeOrder = z.output<typeof WholeOrder>

/** Sold at a POS. A draft of a POS, paid online, is the shop's own order. */
export function isOfPos(order: Pick<ShopOrder, 'meta_data'>): boolean {
  return metaOf(order, META.key) !== null && metaOf(order, META.draft) === null
}

export function paymentOf({ payment_method_title, payment_method }: WholeOrder): string {
  return payment_method_title ?? (payment_method || 'Online')
}

/** With the offset of the shop's clock: `2026-03-01T13:00:00+01:00`. */
export function placedAt({ date_created: local, date_created_gmt: gmt }: WholeOrder): string | null {
  if (!gmt) return null
  const minutes = local ? Math.round((Date.parse(`${local}Z`) - Date.parse(`${gmt}Z`)) / 60_000) : 0
  if (!local || minutes === 0) return `${gmt}Z`
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  const two = (number: number) => String(number).padStart(2, '0')
  return `${local}${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`
}

type Priced = Pick<ShopCost, 'total' | 'total_tax'>

/** With tax. */
export function costOf({ total, total_tax }: Priced, currency: string): Money {
  return roundMoney(addMoney(money(total, currency), money(total_tax, currency)))
}

export function sumOfCosts(lines: readonly Priced[], currency: string): Money {
  return lines.map((line) => costOf(line, currency)).reduce(addMoney, money(0, currency))
}

/** What some pieces of a line cost, of which there are others. */
export function shareOf(whole: Money, pieces: number, others: number): Money {
  const [share = whole] = allocateMoney(whole, [parseDecimal(pieces), parseDecimal(others)])
  return share
}

/** In many shops the SKU is the GTIN. */
export function gtinOf({ global_unique_id: gtin, sku }: Pick<ShopLine, 'global_unique_id' | 'sku'>): string {
  return gtin?.trim() || sku?.trim() || ''
}

const ZERO = parseDecimal(0)

export function isDiscount({ total }: Pick<ShopCost, 'total'>): boolean {
  return compareDecimals(parseDecimal(total), ZERO) < 0
}

/** Negative fees less what `refunds` took back; positive. */
export function discountOf(
  { fee_lines, currency }: Pick<ShopOrder, 'fee_lines' | 'currency'>,
  refunds: readonly Pick<ShopRefund, 'fee_lines'>[] = [],
): Money {
  const fees = fee_lines.filter(isDiscount)
  const ids = new Set(fees.map(({ id }) => id))
  const back = refunds.flatMap((one) => one.fee_lines.filter((fee) => ids.has(refundedOf(fee) ?? 0)))
  return notBelowZero(subtractMoney(money(0, currency), sumOfCosts([...fees, ...back], currency)))
}

export function afterDiscount(costs: readonly Money[], discount: Money): Money[] {
  if (discount.amount === ZERO) return [...costs]
  const whole = costs.reduce(addMoney, money(0, discount.currency))
  return allocateMoney(
    notBelowZero(subtractMoney(whole, discount)),
    costs.map(({ amount }) => amount),
  )
}

export function notBelowZero(value: Money): Money {
  return compareDecimals(value.amount, ZERO) < 0 ? money(0, value.currency) : value
}

type Totalled = Pick<ShopOrder, 'line_items' | 'shipping_lines' | 'fee_lines' | 'total' | 'currency'>

/** A gift card or store credit that a plugin takes off the total without a line. Null: no more than rounding. */
export function creditOf({ line_items, shipping_lines, fee_lines, total, currency }: Totalled): Money | null {
  const lines = [...line_items, ...shipping_lines, ...fee_lines]
  const credit = subtractMoney(sumOfCosts(lines, currency), money(total, currency))
  const coin = new Big(10).pow(-(total.split('.')[1]?.length ?? 0))
  const rounding = money(coin.times(2 * lines.length).toFixed(), currency)
  return compareDecimals(credit.amount, rounding.amount) > 0 ? credit : null
}

/** As WordPress takes it (`is_email`); it refuses the whole order for any other. */
const EMAIL = /^[\w!#$%&'*+/=?^`{|}~.-]+@(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z\d](?:[a-z\d-]*[a-z\d])?$/i

type WrittenAddress = Record<string, string | null>

export function billingOf(customer: Customer | null): { address: WrittenAddress | null; refusedEmail: string | null } {
  if (!customer) return { address: null, refusedEmail: null }
  const { phone, email } = customer
  const refused = email !== null && !isEmail(email)
  return {
    address: { ...wireAddress({ ...customer, ...locationOf(customer.address) }), phone, email: refused ? null : email },
    refusedEmail: refused ? email : null,
  }
}

export function isEmail(text: string): boolean {
  return EMAIL.test(text)
}

export function shippingOf(address: Address | null, customer: Customer | null): WrittenAddress | null {
  if (!address) return null
  const { firstName = null, lastName = null } =
    address.firstName !== null || address.lastName !== null ? address : (customer ?? {})
  const { company, ...written } = wireAddress({ firstName, lastName, companyName: null, ...locationOf(address) })
  return written
}

function locationOf(address: Address | null) {
  const { address1 = null, city = null, postalCode = null, countryCode = null } = address ?? {}
  return { address: address1, city, postalCode, countryCode }
}

type Written = Texts<'firstName' | 'lastName' | 'companyName' | 'address' | 'city' | 'postalCode' | 'countryCode'>

export function wireAddress({ firstName, lastName, companyName, address, city, postalCode, countryCode }: Written) {
  return {
    first_name: firstName,
    last_name: lastName,
    company: companyName,
    address_1: address,
    postcode: postalCode,
    city,
    country: countryCode,
  }
}
