import type { Order } from './order.ts'

/** A deed of staff with an online order, by the store's own book: independent of what was sent to whom. */
export interface OrderDeed {
  what: 'picked' | 'collected' | 'packed' | 'expired' | 'declined' | 'returned'
  orderNo: string
  /** The article that was declined or came back. */
  gtin: string | null
  quantity: number | null
  /** The money was refunded by the POS; told only of goods that came back. */
  isRefunded: boolean | null
}

/** The deeds of a step: to the whole order, or to the articles that were declined by it. */
export function deedsOf(what: OrderDeed['what'], before: Order, after: Order): OrderDeed[] {
  const { orderNo } = after.body
  if (what !== 'declined') return [{ what, orderNo, gtin: null, quantity: null, isRefunded: null }]
  return after.lines
    .filter(({ status }, index) => status === 'Declined' && before.lines[index]?.status !== 'Declined')
    .map(({ gtin, quantity }) => ({ what, orderNo, gtin, quantity, isRefunded: null }))
}
