import { isSameArticle } from '../../../domain/catalogue/article-number.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import type { SentParcel } from '../../../ports/orders.ts'
import { addNoteOnce } from '../notes.ts'
import { gtinsOf } from '../orders/find-lines.ts'
import { locateOrder } from '../orders/locate-order.ts'
import { changeOrder, type OrderContext } from '../orders/order-context.ts'
import { noteOfEnd } from '../orders/order-off.ts'
import { META, metaOf, type ShopOrder } from '../people/shop-order.ts'
import { refundsOf } from './refunds.ts'
import { isAllSent, piecesOf } from './sent-pieces.ts'

/**
 * A parcel left a store. WooCommerce has no shipments: a note tells what is in it, and the order's meta data keep it by the
 * parcel's id. Once as many pieces are in parcels as the order has, it is shipped.
 */
export async function ship(
  context: OrderContext,
  { order: update, parcel }: SentParcel,
  attempt: Attempt,
  find = false,
): Promise<Effect | null> {
  const { signal } = attempt
  const order = await locateOrder(context, update, attempt)
  const mark = META.shipment + parcel.id
  if (metaOf(order, mark) !== null) return effectOf(order)
  if (find) return null
  const end = await noteOfEnd(context, order, 'a store has sent it', signal)
  if (end !== null) return { note: end }
  const from = update.stockName ? ` from ${update.stockName}` : ''
  const contents = parcel.items.map(({ gtin, quantity }) => `${quantity} × ${nameOf(order, gtin)}`)
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

function nameOf({ line_items }: ShopOrder, gtin: string): string {
  const line = line_items.find((one) => gtinsOf(one).some((own) => isSameArticle(own, gtin)))
  return line?.name ? `${line.name} (${gtin})` : gtin
}
