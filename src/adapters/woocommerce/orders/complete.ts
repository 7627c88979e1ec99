import { z } from 'zod'
import type { Link } from '../../../domain/orders/link.ts'
import { idOfTillOrder } from '../../../domain/orders/order-link.ts'
import { counted } from '../../../domain/values/counted.ts'
import { PermanentError, UnknownOutcomeError } from '../../../domain/values/errors.ts'
import { otherCurrency } from '../../../domain/values/other-currency.ts'
import type { Effect } from '../../../ports/attempt.ts'
import type { ShopApi } from '../api.ts'
import { awaitsPayment, isPaid, META, metaOf, ShopOrder } from '../people/shop-order.ts'
import { type Correction, correctByFee, correctLines, difference } from './correction.ts'
import { payment } from './payment.ts'

/**
 * Brings an order to its end from wherever it stands: notes for people, the right total, and last the payment, because with
 * it the shop writes to the customer. A note goes before what it tells, so that none is lost when it breaks off; at worst
 * one is there twice.
 */
export async function complete(
  api: ShopApi,
  order: ShopOrder,
  { signal, destination }: { signal: AbortSignal; destination: string },
): Promise<Effect> {
  if (!awaitsPayment(order)) return effectOf(order)
  const right = await correct(api, order, signal)
  const transaction = metaOf(right, META.transaction)
  const changes = {
    ...(transaction && { transaction_id: transaction }),
    ...payment(right.line_items.some((line) => line.product_id)),
  }
  const paid = await api.write('PUT', `/orders/${right.id}`, changes, ShopOrder, signal)
  if (isPaid(paid)) return effectOf(paid)
  const why = `${destination}: order ${paid.number} is there, but the shop did not take it as paid (${paid.status})`
  throw new UnknownOutcomeError(why, { code: 'not-paid' })
}

/** Notes for people, and the right total: everything but the payment. Throws PermanentError `other-currency`. */
export async function correct(api: ShopApi, order: ShopOrder, signal: AbortSignal): Promise<ShopOrder> {
  const other = otherCurrency(metaOf(order, META.currency), order.currency, `order ${order.number} of the shop`)
  if (other !== null)
    throw new PermanentError(
      `${other}: it is there, and not paid. A plugin of the shop gives orders its own currency: let it leave orders of the API as they are; put this one right or cancel it there, then skip this.`,
      { code: 'other-currency' },
    )
  await addNote(order, metaOf(order, META.problem))
  const lined = await apply(order, correctLines(order))
  const right = await apply(lined, correctByFee(lined))
  const wrong = difference(right)
  await addNote(right, wrong && `Please check this order. ${wrong}`)
  return right

  async function apply(to: ShopOrder, correction: Correction | null): Promise<ShopOrder> {
    if (!correction) return to
    await addNote(to, correction.note)
    return await api.write('PUT', `/orders/${to.id}`, correction.changes, ShopOrder, signal)
  }

  async function addNote({ id }: ShopOrder, note: string | null): Promise<void> {
    if (note) await api.write('POST', `/orders/${id}/notes`, { note }, z.unknown(), signal)
  }
}

/** The effect, as the timeline tells it: nothing that is out of the ordinary is left out. */
function effectOf(order: ShopOrder): Effect {
  const { number, status, total, currency, line_items: lines } = order
  const facts = [`order ${number}`, counted(lines.length, 'line'), `${total} ${currency}`]
  const unknown = lines.filter((line) => !line.product_id).length
  if (unknown > 0) facts.push(`${unknown} without a product of the shop`)
  const wrong = difference(order)
  if (!isPaid(order)) facts.push(`left as it is: ${status}, not paid`)
  else if (wrong) facts.push(`please check: ${wrong}`)
  return { links: linksOf(order), note: facts.join(', ') }
}

/** Links of the order by its receipt. None: people in the shop took away what it says of itself. */
function linksOf(order: ShopOrder): Omit<Link, 'destination'>[] {
  const receiptNo = metaOf(order, META.receipt)
  if (receiptNo === null) return []
  const id = idOfTillOrder({ orderNo: metaOf(order, META.order), receiptNo })
  return [{ kind: 'order', id, theirId: String(order.id) }]
}
