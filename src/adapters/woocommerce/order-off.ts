import { PermanentError } from '../../domain/errors.ts'
import type { Desk } from './desk.ts'
import { isOff, type ShopOrder } from './shop-order.ts'

/** Throws PermanentError `order-off` for an order that somebody in the shop has ended while a store goes on with it. */
export function refuseOff({ destination }: Desk, order: ShopOrder, happened: string): void {
  if (!isOff(order)) return
  throw new PermanentError(
    `${destination}: order ${order.number} is ${order.status} in the shop, but ${happened}. Settle it with the store and the customer, then skip this.`,
    { code: 'order-off' },
  )
}
