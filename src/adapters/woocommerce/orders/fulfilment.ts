import { isSameArticle } from '../../../domain/catalogue/article-number.ts'
import type { Shipment } from '../../../domain/orders/order-update.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import { parseDecimal, toNumber } from '../../../domain/values/money.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import { isOff, META, metaOf, ShopOrder, type ShopRefund } from '../shop-order.ts'
import { bundlesOf } from './bundles.ts'
import { gtinsOf, locateOrder } from './find-order.ts'
import { addNoteOnce, changeOrder, type OrderContext, tell, type WooStep, wasPaid } from './order-context.ts'
import { piecesLeft, refundsOf } from './refunds.ts'

/** Note of an order that we refunded completely; null: not ended. Throws PermanentError `order-off` if the shop ended it and a store continues. */
async function noteOfEnd(
  context: OrderContext,
  order: ShopOrder,
  happened: string,
  signal: AbortSignal,
): Promise<string | null> {
  if (!isOff(order)) return null
  const { number, status } = order
  const refunds = status === 'refunded' ? await refundsOf(context, order, signal) : []
  if (refunds.length > 0 && refunds.every((one) => metaOf(one, META.key) !== null))
    return `order ${number}, left as it is: all of it was refunded before`
  throw new PermanentError(
    `${context.destination}: order ${number} is ${status} in the shop, but ${happened}. Settle it with the store and the customer, then skip this.`,
    { code: 'order-off' },
  )
}

/** The status comes last, as the mark of completion. */
export const ready: WooStep<'ready'> = async (context, update, attempt, find) => {
  const { statuses, tellCustomer } = context.options
  const order = await locateOrder(context, update, attempt)
  if (metaOf(order, META.ready) === attempt.key) return effectOf(order)
  if (find) return null
  if (order.status === statuses.collected) return { note: `order ${order.number} is ${order.status} already` }
  const end = await noteOfEnd(context, order, 'it lies ready in a store', attempt.signal)
  if (end !== null) return { note: end }
  await tell(context, order, 'ready', { number: order.number, store: update.stockName }, attempt)
  const changes = { status: statuses.ready, meta_data: [{ key: META.ready, value: attempt.key }] }
  return effectOf(await changeOrder(context, order, changes, attempt.signal))

  function effectOf({ number, status }: ShopOrder): Effect {
    return {
      note: `order ${number}, ${status}, customer ${tellCustomer.includes('ready') ? 'notified' : 'not notified'}`,
    }
  }
}

/** With this status payment plugins capture, and cash counts as paid. */
export const collected: WooStep<'collected'> = async (context, update, attempt, find) => {
  const order = await locateOrder(context, update, attempt)
  const { number, status } = order
  const ours = metaOf(order, META.collected) === attempt.key
  if (ours) return { note: `order ${number}, ${status}` }
  if (find) return null
  const { collected: target } = context.options.statuses
  if (status === target) return { note: `order ${number} is ${status} already` }
  const end = await noteOfEnd(context, order, 'the customer has fetched it', attempt.signal)
  if (end !== null) return { note: end }
  const marks = wasPaid(context, order) ? [META.collected] : [META.collected, META.paidWhenCollected]
  const changes = { status: target, meta_data: marks.map((key) => ({ key, value: attempt.key })) }
  const changed = await changeOrder(context, order, changes, attempt.signal)
  return { note: `order ${number}, ${changed.status}` }
}

function isAllSent(order: ShopOrder, refunds: readonly ShopRefund[], more = 0): boolean {
  const sent = parcelsOf(order).reduce((sum, items) => sum + piecesOf(items), more)
  const containers = new Set(bundlesOf(order).map(({ container }) => container))
  const goods = order.line_items.filter((line) => !containers.has(line))
  const due = goods.reduce((sum, line) => sum + Math.max(0, piecesLeft(line, refunds)), 0)
  return sent >= due
}

function piecesOf(items: Shipment['items']): number {
  return items.reduce((sum, { quantity }) => sum + toNumber(parseDecimal(quantity)), 0)
}

/** After a decline nothing may be left to send. */
export async function completeIfSent(context: OrderContext, before: ShopOrder, { signal }: Attempt): Promise<void> {
  const { shipped } = context.options.statuses
  if (shipped === false || parcelsOf(before).length === 0) return
  const order = (await context.api.get(`/orders/${before.id}`, {}, ShopOrder, signal)).value
  if (order.status === shipped || isOff(order)) return
  if (isAllSent(order, await refundsOf(context, order, signal)))
    await changeOrder(context, order, { status: shipped }, signal)
}

export function parcelsOf({ meta_data }: ShopOrder): Shipment['items'][] {
  return meta_data.flatMap(({ key, value }) =>
    key.startsWith(META.shipment) && typeof value === 'string' ? [JSON.parse(value) as Shipment['items']] : [],
  )
}

/** WooCommerce has no shipments: a note has the contents, meta data by parcel id record them, and with the last piece the order is shipped. */
export const ship: WooStep<'ship'> = async (context, { order: update, parcel }, attempt, find) => {
  const { signal } = attempt
  const order = await locateOrder(context, update, attempt)
  const mark = META.shipment + parcel.id
  if (metaOf(order, mark) !== null) return effectOf(order)
  if (find) return null
  const end = await noteOfEnd(context, order, 'a store has sent it', signal)
  if (end !== null) return { note: end }
  const from = update.stockName ? ` from ${update.stockName}` : ''
  const contents = parcel.items.map(({ gtin, quantity }) => `${quantity} × ${articleNameOf(order, gtin)}`)
  await addNoteOnce(context, order, `Parcel ${parcel.id} was sent${from}: ${contents.join(', ')}`, false, attempt)
  const { shipped } = context.options.statuses
  const all = shipped !== false && isAllSent(order, await refundsOf(context, order, signal), piecesOf(parcel.items))
  const changes = { ...(all && { status: shipped }), meta_data: [{ key: mark, value: JSON.stringify(parcel.items) }] }
  return effectOf(await changeOrder(context, order, changes, signal))

  function effectOf({ id, number, status }: ShopOrder): Effect {
    return {
      links: [{ kind: 'shipment', id: parcel.id, theirId: String(id) }],
      note: `order ${number}, ${status}, parcel of ${piecesOf(parcel.items)} noted`,
    }
  }
}

function articleNameOf({ line_items }: ShopOrder, gtin: string): string {
  const line = line_items.find((one) => gtinsOf(one).some((own) => isSameArticle(own, gtin)))
  return line?.name ? `${line.name} (${gtin})` : gtin
}
