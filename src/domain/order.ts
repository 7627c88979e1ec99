import { sumMoney } from './money.ts'
import type { Sale } from './sale.ts'

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
