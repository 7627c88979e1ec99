import type { Shipment } from '../../../domain/orders/order-update.ts'
import { parseDecimal, toNumber } from '../../../domain/values/money.ts'
import type { Attempt } from '../../../ports/attempt.ts'
import { bundlesOf } from '../orders/bundles.ts'
import { changeOrder, type OrderContext } from '../orders/order-context.ts'
import { piecesLeft } from '../orders/pieces.ts'
import { isOff, META, ShopOrder, type ShopRefund } from '../people/shop-order.ts'
import { refundsOf } from './refunds.ts'

/** Whether nothing is missing once `more` pieces are sent. By pieces: a parcel holds nothing but goods of its order. */
export function isAllSent(order: ShopOrder, refunds: readonly ShopRefund[], more = 0): boolean {
  const sent = parcelsOf(order).reduce((sum, items) => sum + piecesOf(items), more)
  const containers = new Set(bundlesOf(order).map(({ container }) => container))
  const goods = order.line_items.filter((line) => !containers.has(line))
  const due = goods.reduce((sum, line) => sum + Math.max(0, piecesLeft(line, refunds)), 0)
  return sent >= due
}

export function piecesOf(items: Shipment['items']): number {
  return items.reduce((sum, { quantity }) => sum + toNumber(parseDecimal(quantity)), 0)
}

/** Goods were declined that parcels left without: nothing may be missing now. An order without parcels stays as it is. */
export async function completeIfSent(context: OrderContext, before: ShopOrder, { signal }: Attempt): Promise<void> {
  const { shipped } = context.options.statuses
  if (shipped === false || parcelsOf(before).length === 0) return
  const order = (await context.api.get(`/orders/${before.id}`, {}, ShopOrder, signal)).value
  if (order.status === shipped || isOff(order)) return
  if (isAllSent(order, await refundsOf(context, order, signal)))
    await changeOrder(context, order, { status: shipped }, signal)
}

/** The items in each of the parcels that have left. */
export function parcelsOf({ meta_data }: ShopOrder): Shipment['items'][] {
  return meta_data.flatMap(({ key, value }) =>
    key.startsWith(META.shipment) && typeof value === 'string' ? [JSON.parse(value) as Shipment['items']] : [],
  )
}
