import { PermanentError } from './errors.ts'
import { field, text } from './field.ts'
import { sumMoney } from './money.ts'
import { readSale, type Sale } from './sale.ts'

/**
 * An order that was placed and paid at a till, for the online shop or OMS to carry out (spec, "Endless aisle"). `lines` are
 * those that the online store ships, and `total` is theirs.
 */
export interface TillOrder extends Omit<Sale, 'receiptUrl' | 'orderNo' | 'vatTotal'> {
  /** What the customer and the till know it by: the platform's order number, else the receipt's. */
  number: string
  /** The payment's reference, for the order that is created (spec, Events 4). */
  transactionId: string | null
}

/** The part of an endless aisle sale that the online store ships: the lines that say so, or all where none does. */
export function tillOrder(sale: Sale): TillOrder {
  const flagged = sale.lines.filter((line) => line.shipFromOnlineStore)
  const lines = flagged.length > 0 ? flagged : sale.lines
  const { receiptNo, createdAt, payments, store, customer, shippingAddress, shipping } = sale
  return {
    number: sale.orderNo ?? receiptNo,
    receiptNo,
    transactionId: payments.find(({ transaction }) => transaction !== null)?.transaction ?? null,
    createdAt,
    total: sumMoney(
      lines.map((line) => line.total),
      sale.total.currency,
    ),
    lines,
    payments,
    store,
    customer,
    shippingAddress,
    shipping,
  }
}

/**
 * A basket that was saved at a till for the customer to pay online. The spec does not show the payload: it is read as a
 * sale that was not paid yet, under the basket's own id.
 */
export function basketOrder(payload: unknown): TillOrder {
  const number = text(payload, 'orderNo') ?? text(payload, 'basketId') ?? text(payload, 'basketGuid')
  if (number === null) throw new PermanentError('the basket lacks basketId', { code: 'bad-basket' })
  const basket = Object(payload) as Record<string, unknown>
  const store = { currency: field(payload, 'currency'), ...Object(field(payload, 'store')) }
  return { ...tillOrder(readSale({ ...basket, store, receiptNo: number })), number }
}
