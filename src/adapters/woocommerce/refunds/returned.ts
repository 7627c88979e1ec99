import { money } from '../../../domain/values/money.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import type { ReturnedGoods } from '../../../ports/orders.ts'
import { filled } from '../options-texts.ts'
import { refusePartsOfBundle } from '../orders/bundles.ts'
import { articlesOf, findLines } from '../orders/find-lines.ts'
import { locateOrder } from '../orders/locate-order.ts'
import type { OrderContext } from '../orders/order-context.ts'
import { takePieces } from '../orders/pieces.ts'
import type { ShopOrder, ShopRefund } from '../people/shop-order.ts'
import { partOf } from './refund-parts.ts'
import { checkedRefund, refundOf, refundOnce, refundsOf, shown } from './refunds.ts'

/**
 * Goods came back in a store. `payBack`: the shop gives the money back; else the till has, and the shop's books follow.
 * `find`: only what an earlier try left, else null.
 */
export async function returnGoods(
  context: OrderContext,
  { refund, line, quantity }: ReturnedGoods,
  attempt: Attempt,
  { payBack, find = false }: { payBack: boolean; find?: boolean },
): Promise<Effect | null> {
  const { signal, key } = attempt
  const order = await locateOrder(context, refund, attempt)
  const refunds = await refundsOf(context, order, signal)
  const moves = payBack && context.options.refundPayments
  const there = refundOf(key, refunds)
  if (there) return effectOf(order, checkedRefund(context, order, there, moves))
  if (find) return null
  const lines = await findLines(context, order, line, signal)
  refusePartsOfBundle(order, lines, context.destination)
  const taken = takePieces(lines, quantity, { order, refunds, destination: context.destination })
  const made = await refundOnce(
    context,
    order,
    refunds,
    {
      parts: taken.map((one) => partOf(one.line, one.pieces, refunds, order.currency)),
      reason: filled(context.options.texts.refundReturned, {
        number: order.number,
        store: refund.stockName,
        goods: `${quantity} × ${lines[0]?.name ?? 'goods'}`,
      }),
      payBack: moves,
    },
    attempt,
  )
  return effectOf(order, made)

  function effectOf(of: ShopOrder, { id, amount, refunded_payment }: ShopRefund): Effect {
    const how = moves && refunded_payment !== false ? 'paid back' : payBack ? 'entered, to be paid by hand' : 'noted'
    return {
      links: [{ kind: 'refund', id: `${refund.refundId}/${line.key}`, theirId: String(id) }],
      note: `order ${of.number}, refund ${id}: ${shown(money(amount, of.currency))} ${how}`,
      ...(context.options.restock && { movedStock: articlesOf([], [line]) }),
    }
  }
}
