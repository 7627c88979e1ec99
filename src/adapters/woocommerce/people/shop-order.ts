import { Big } from 'big.js'
import { z } from 'zod'
import { type Money, money } from '../../../domain/values/money.ts'
import {
  amount,
  amountOrNone,
  flag,
  id,
  list,
  number,
  numberOrNone,
  optional,
  readable,
  text,
  textOrNone,
  word,
} from '../document.ts'

export const Meta = z.object({ key: z.string(), value: z.unknown() })

/** The tax that one rate takes; the shop writes an empty text for none. */
const Tax = z.object({ id, total: amountOrNone })

/** The fields that every line of an order or refund has: amounts are without tax. */
export const Cost = z.object({
  id,
  total: amount,
  total_tax: amountOrNone,
  taxes: readable(Tax),
  meta_data: readable(Meta),
})

const Line = Cost.extend({
  name: text,
  product_id: optional(id),
  variation_id: optional(id),
  sku: text,
  global_unique_id: text,
  quantity: number,
  /** Of one, without tax and not rounded. */
  price: optional(number),
  subtotal: optional(amount),
  /** Ids of the lines that a bundle holds together, as plugins name them. */
  bundled_items: readable(id),
  composite_children: readable(id),
}).transform((line) => ({ ...line, total_tax: taxInCoins(line) }))

/** An order as the shop shows it: what of it matters here. */
export const ShopOrder = z.object({
  id,
  /** The number that people in the shop know it by; some plugins give another one than the id. */
  number: word,
  status: word,
  currency: word,
  /** With tax. */
  total: amount,
  /** With the way of payment: who has paid, and who pays in the store. */
  date_paid: textOrNone,
  payment_method: textOrNone,
  /** Where a customer pays it. */
  payment_url: text,
  meta_data: readable(Meta),
  line_items: list(Line),
  shipping_lines: list(Cost),
  fee_lines: list(Cost),
})

/** A refund of an order. Its lines are below zero, its amount is not. */
export const ShopRefund = z.object({
  id,
  amount,
  reason: text,
  date_created_gmt: text,
  /** Whether the payment provider gave the money back. Older shops do not say. */
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

/** Meta data by which an order knows where it comes from. A leading underscore hides it from people in the shop. */
export const META = {
  key: '_tillbridge_key',
  draft: '_tillbridge_draft',
  ready: '_tillbridge_ready',
  collected: '_tillbridge_collected',
  /** Nothing was paid before it was collected: the customer paid for what there was. */
  paidWhenCollected: '_tillbridge_paid_when_collected',
  expired: '_tillbridge_expired',
  /** With the reference of the effect behind it. */
  declined: '_tillbridge_declined_',
  /** With the id of the parcel behind it. */
  shipment: '_tillbridge_shipment_',
  total: '_tillbridge_total',
  currency: '_tillbridge_currency',
  transaction: '_tillbridge_transaction',
  sku: '_tillbridge_sku',
  gtin: '_tillbridge_gtin',
  row: '_tillbridge_row',
  email: '_tillbridge_email',
  order: 'tillbridge_order',
  receipt: 'tillbridge_receipt',
  store: 'tillbridge_store',
  pos: 'tillbridge_pos',
  /** The stock that ships: a person, and an OMS that reads the shop's orders, may go by these. */
  stockId: 'tillbridge_stock_id',
  stockName: 'tillbridge_stock_name',
  customer: 'tillbridge_customer',
  said: '_tillbridge_said',
  problem: 'tillbridge_problem',
} as const

/** Digits that WooCommerce computes with, whatever it shows. */
const COMPUTED = 6

/**
 * The tax of a line, so that it and the line make what the customer paid. The answer rounds both by themselves: in a shop that rounds
 * tax at the subtotal, 12.50 and 1.50 of 14.00 are 13 and 2 where it shows no decimals. Price and taxes are told as they are.
 */
function taxInCoins({ total, total_tax, price, quantity, taxes }: TaxedLine): string {
  const isTold =
    typeof price === 'number' && taxes.length > 0 && taxes.every((tax) => Number.isFinite(Number(tax.total)))
  if (!isTold) return total_tax
  const decimals = total.split('.')[1]?.length ?? 0
  const exact = taxes.reduce((sum, tax) => sum.plus(tax.total), new Big(price).times(quantity))
  const whole = exact.round(COMPUTED, Big.roundHalfUp).round(decimals, Big.roundHalfUp)
  const off = whole.minus(total).minus(total_tax)
  // More than what rounding makes: a plugin says its own.
  const coin = new Big(10).pow(-decimals)
  return off.abs().gt(coin) ? total_tax : whole.minus(total).toFixed(decimals)
}

type TaxedLine = Pick<z.output<typeof Cost>, 'total' | 'total_tax' | 'taxes'> & {
  price?: number | null | undefined
  quantity: number
}

/** A meta value as text; null where there is none. */
export function metaOf({ meta_data }: { meta_data: z.output<typeof Meta>[] }, key: string): string | null {
  const found = meta_data.find((meta) => meta.key === key)?.value
  return typeof found === 'string' || typeof found === 'number' ? String(found) : null
}

/** The line of the order that a line of a refund is of; null: it is of none. */
export function refundedOf(line: Pick<ShopCost, 'meta_data'>): number | null {
  const id = metaOf(line, '_refunded_item_id')
  return id === null ? null : Number(id)
}

/** The money that the customer paid at the till; null in an order that no till made. */
export function paidAtTill(order: ShopOrder): Money | null {
  const total = metaOf(order, META.total)
  return total === null ? null : money(total, order.currency)
}

/**
 * Whether the shop counts it as paid. By the status too: WooCommerce dates the payment only of an order that has a
 * product of its own in it.
 */
export function isPaid({ date_paid, status }: Pick<ShopOrder, 'date_paid' | 'status'>): boolean {
  return Boolean(date_paid) || status === 'processing' || status === 'completed'
}

/** Whether it is off in the shop: nothing is to be done for it any more. */
export function isOff({ status }: Pick<ShopOrder, 'status'>): boolean {
  return status === 'cancelled' || status === 'refunded' || status === 'trash'
}

/** Whether the shop still waits for the money. Any other status without payment is a person's doing. */
export function awaitsPayment(order: ShopOrder): boolean {
  return !isPaid(order) && (order.status === 'pending' || order.status === 'failed')
}
