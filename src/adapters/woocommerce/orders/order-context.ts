import type { LookPlaces } from '../../shared/look-places.ts'
import type { ShopApi } from '../api.ts'
import type { WooCommerceOptions } from '../options.ts'
import { ShopOrder } from '../people/shop-order.ts'
import { uncertainIfRefused } from '../refunds/uncertain.ts'
import type { OrderPages } from './find-order.ts'

/** The things that every effect on an order works with. */
export interface OrderContext {
  api: ShopApi
  options: WooCommerceOptions
  /** The operator's name of the destination, with which errors begin. */
  destination: string
  /** How far looks for orders of earlier tries have come. */
  looks: LookPlaces<OrderPages>
}

/** Changes an order. WooCommerce saves first and runs plugins afterwards: a failure may have come after the save. */
export function changeOrder(
  { api }: OrderContext,
  order: ShopOrder,
  body: object,
  signal: AbortSignal,
): Promise<ShopOrder> {
  return api.write('PUT', `/orders/${order.id}`, body, ShopOrder, signal).catch(uncertainIfRefused)
}
