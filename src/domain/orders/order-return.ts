import type { OrderLineUpdate } from './order-update.ts'

/** Spec, "Refund update webhook payload". */
export interface OrderReturn {
  number: string
  refundId: string
  /** Only `Returned` is documented; as written. */
  status: string | null
  /** false: the shop must refund. */
  isRefunded: boolean
  /** With unique `key`s. */
  lines: OrderLineUpdate[]
  stockId: string | null
  stockName: string | null
}
