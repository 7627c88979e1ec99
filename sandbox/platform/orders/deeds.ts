import type { Order } from './order.ts'

/** What staff did with an online order, by the store's own book: independent of what was sent to whom. */
export interface OrderDeed {
  what: 'picked' | 'collected' | 'packed' | 'expired' | 'declined' | 'returned'
  orderNo: string
  /** Of what was declined or came back: one article. */
  gtin: string | null
  quantity: number | null
  /** Of what came back: whether the till gave the money back. */
  isRefunded: boolean | null
}

/** What a step did: to the whole order, or to the articles that were declined by it. */
export function deedsOf(what: OrderDeed['what'], before: Order, after: Order): OrderDeed[] {
  const { orderNo } = after.body
  if (what !== 'declined') return [{ what, orderNo, gtin: null, quantity: null, isRefunded: null }]
  return after.lines
    .filter(({ status }, index) => status === 'Declined' && before.lines[index]?.status !== 'Declined')
    .map(({ gtin, quantity }) => ({ what, orderNo, gtin, quantity, isRefunded: null }))
}
