import type { WooCommerceOptions } from '../options.ts'
import { metaOf } from '../people/shop-order.ts'
import type { WholeOrder } from './order.ts'

/** How a store has to do with an order. */
export interface Errand {
  type: 'pickup' | 'ship'
  /** The store in the shop's own word; null: the shop does not say. */
  place: string | null
}

/** Where the pickup of the block checkout keeps the name of the place, in the shipping line. */
const PICKUP_LOCATION = 'pickup_location'

/**
 * The store's part in an order; null: nothing, it goes out from elsewhere. The place is what the order's meta data name
 * (`storeMeta`); else the name of the pickup location; else, for the older local pickup, the id of the method's instance.
 */
export function errandOf(order: WholeOrder, { pickup, storeMeta }: WooCommerceOptions): Errand | null {
  const named = storeMeta === undefined ? null : metaOf(order, storeMeta)?.trim() || null
  const line = order.shipping_lines.find(({ method_id }) => method_id !== null && pickup.methods.includes(method_id))
  if (!line) return named === null ? null : { type: 'ship', place: named }
  const instance = line.instance_id === '0' ? null : line.instance_id
  return { type: 'pickup', place: named ?? metaOf(line, PICKUP_LOCATION) ?? instance ?? line.method_title }
}
