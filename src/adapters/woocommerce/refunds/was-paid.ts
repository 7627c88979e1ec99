import type { OrderContext } from '../orders/order-context.ts'
import { isPaid, type ShopOrder } from '../people/shop-order.ts'

/**
 * Whether the customer has paid: by the date, because cash on delivery is `processing` before that. What is paid in the store
 * is paid when it is collected, whatever date a payment plugin gave it before.
 */
export function wasPaid({ options }: { options: PayingOptions }, order: Paying): boolean {
  const method = order.payment_method ?? ''
  const isCollected = order.status === 'completed' || order.status === options.statuses.collected
  if (options.payInStore.includes(method) && !isCollected) return false
  return Boolean(order.date_paid) || (method === 'tillbridge' && isPaid(order))
}

/** The options that say how customers pay. */
type PayingOptions = Pick<OrderContext['options'], 'payInStore' | 'statuses'>

type Paying = Pick<ShopOrder, 'date_paid' | 'payment_method' | 'status'>
