import { allocateMoney, amountText, money, parseDecimal } from '../../../domain/values/money.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import type { DeclinedGoods } from '../../../ports/orders.ts'
import { tell } from '../notes.ts'
import { filled } from '../options-texts.ts'
import { isOff, META, metaOf, type ShopLine, type ShopOrder } from '../people/shop-order.ts'
import { extrasLeft, partOf } from '../refunds/refund-parts.ts'
import { checkedRefund, refundOf, refundOnce, refundsOf, shown } from '../refunds/refunds.ts'
import { completeIfSent, parcelsOf } from '../refunds/sent-pieces.ts'
import { wasPaid } from '../refunds/was-paid.ts'
import { refusePartsOfBundle } from './bundles.ts'
import { articlesOf, findLines } from './find-lines.ts'
import { locateOrder } from './locate-order.ts'
import { changeOrder, type OrderContext } from './order-context.ts'
import { piecesLeft, takePieces } from './pieces.ts'
import { referenceOf } from './reference.ts'
import { rememberTakenOff } from './taken-off.ts'

interface Taken {
  line: ShopLine
  pieces: number
}

/**
 * The store does not have the goods. What was paid for them is given back; what is yet to be paid is taken off the order.
 * Then the customer is told. `find`: only what an earlier try left, else null.
 */
export async function decline(
  context: OrderContext,
  { order: update, line, quantity }: DeclinedGoods,
  attempt: Attempt,
  find = false,
): Promise<Effect | null> {
  const { signal, key } = attempt
  const { options, destination } = context
  const order = await locateOrder(context, update, attempt)
  const refunds = await refundsOf(context, order, signal)
  const mark = META.declined + referenceOf(key)
  const refund = refundOf(key, refunds)
  const reduced = metaOf(order, mark) !== null
  if (find && !refund && !reduced) return null
  if (!refund && !reduced && isOff(order)) return { note: `order ${order.number}, left as it is: ${order.status}` }
  const known = await linesKnown()
  const named = `${quantity} × ${known[0]?.name ?? line.gtin ?? 'goods'}`

  if (refund) checkedRefund(context, order, refund, options.refundPayments)
  const done = refund ?? (reduced ? null : await settle())
  await tell(context, order, 'declined', { number: order.number, store: update.stockName, goods: named }, attempt)
  await completeIfSent(context, order, attempt)
  return {
    note: `order ${order.number}, ${named} declined: ${done ? paidBack(done.amount) : 'taken off what is to pay'}`,
    // Pieces that are taken off an order, or refunded with `restock`, go back into the shop's own count.
    ...((done === null || options.restock) && { movedStock: articlesOf(known, [line]) }),
  }

  function paidBack(amount: string): string {
    return `${shown(money(amount, order.currency))} ${options.refundPayments ? 'paid back' : 'to be paid back by hand'}`
  }

  async function linesKnown(): Promise<ShopLine[]> {
    return await findLines(context, order, line, signal).catch((error: unknown) => {
      // Taken off by an earlier try: its name is gone with it.
      if (reduced) return []
      throw error
    })
  }

  async function settle() {
    refusePartsOfBundle(order, known, destination)
    const taken = takePieces(known, quantity, { order, refunds, destination })
    if (isOwed(context, order, taken)) {
      const off = takenOff(order, taken, options.statuses.cancelled)
      // An order that is cancelled keeps its lines.
      const gone = 'line_items' in off ? taken : []
      const changes = { ...off, meta_data: [{ key: mark, value: rememberTakenOff(key, gone) }] }
      await changeOrder(context, order, changes, signal)
      return null
    }
    const goods = taken.map((one) => partOf(one.line, one.pieces, refunds, order.currency))
    // A store that carries out nothing at all leaves nothing to send, and nothing to be paid for that.
    const parts = update.status === 'Rejected' && isRest() ? [...goods, ...extrasLeft(order, refunds)] : goods
    const reason = filled(options.texts.refundDeclined, {
      number: order.number,
      store: update.stockName,
      goods: named,
    })
    return await refundOnce(context, order, refunds, { parts, reason, payBack: options.refundPayments }, attempt)

    function isRest(): boolean {
      const left = order.line_items.reduce((sum, one) => sum + Math.max(0, piecesLeft(one, refunds)), 0)
      return piecesOf(taken) >= left && parcelsOf(order).length === 0
    }
  }
}

/**
 * Whether nobody has paid for these goods: so it is, too, where the order was paid when it was collected, since the customer never got
 * them. One that was collected with nothing in it contradicts itself, and is not cancelled for that.
 */
function isOwed(context: OrderContext, order: ShopOrder, taken: readonly Taken[]): boolean {
  if (!wasPaid(context, order)) return true
  return metaOf(order, META.paidWhenCollected) !== null && piecesOf(taken) < piecesOfLines(order.line_items)
}

const piecesOf = (taken: readonly Taken[]) => taken.reduce((sum, { pieces }) => sum + pieces, 0)

const piecesOfLines = (lines: readonly { quantity: number }[]) => lines.reduce((sum, { quantity }) => sum + quantity, 0)

/** The lines with fewer pieces, for the same price of one; an order of which nothing would be left is cancelled instead. */
function takenOff({ line_items, currency }: ShopOrder, taken: readonly Taken[], cancelled: string): object {
  if (piecesOf(taken) >= piecesOfLines(line_items)) return { status: cancelled }
  return {
    line_items: taken.map(({ line, pieces: less }) => {
      const quantity = line.quantity - less
      const share = (amount: string) => {
        const [part] = allocateMoney(money(amount, currency), [parseDecimal(quantity), parseDecimal(less)])
        return part ? amountText(part) : amount
      }
      if (quantity === 0) return { id: line.id, quantity }
      return { id: line.id, quantity, subtotal: share(line.subtotal ?? line.total), total: share(line.total) }
    }),
  }
}
