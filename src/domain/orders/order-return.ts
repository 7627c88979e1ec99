import type { OrderLineUpdate } from './order-update.ts'

/** Goods of an online order that came back in a store (spec, "Refund update webhook payload"). */
export interface OrderReturn {
  /** The online shop's number. */
  number: string
  /** The platform's GUID of the refund. */
  refundId: string
  /** `Returned` is shown, and no other; as written. Null: not said. */
  status: string | null
  /** true: the till has given the money back. false: the shop must. */
  isRefunded: boolean
  /** Lines, each with its own `key`. */
  lines: OrderLineUpdate[]
  stockId: string | null
  stockName: string | null
}
