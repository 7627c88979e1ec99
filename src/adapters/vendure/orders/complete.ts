import type { TillOrder } from '../../../domain/orders/order.ts'
import { idOfTillOrder } from '../../../domain/orders/order-link.ts'
import { counted } from '../../../domain/values/counted.ts'
import { UnknownOutcomeError } from '../../../domain/values/errors.ts'
import type { Effect } from '../../../ports/attempt.ts'
import { readOrder, runOrder, type Shop, type Step, transition } from '../shop.ts'
import type { Basket } from './basket.ts'
import { PAYMENT_MARK } from './mark.ts'
import { type ShopOrder, surplus } from './shop-order.ts'
import { surchargesOf } from './surcharges.ts'

/** The most steps that an order of the till takes. */
const STEPS = 12

/** The reason of the refund by which the shop's books come down to what was paid. */
const LOWER_PRICE = 'The price at the till was lower: no money was given back.'

/**
 * Brings an order to its end from wherever it stands: paid, and at the total that was paid. Vendure takes the payment of its
 * own total only, and changes an order by surcharges only when it is paid; so both come after each other.
 */
export async function complete(
  shop: Shop,
  start: ShopOrder,
  { order, basket }: { order: TillOrder; basket: Basket },
  step: Step,
): Promise<Effect> {
  const paid = shop.amounts.toShop(order.total)
  let now = start
  for (let count = 0; count < STEPS; count += 1) {
    const next = await advance(now)
    if (!next) return effectOf(now)
    now = next
  }
  const why = `${shop.api.destination}: order ${now.code} does not come to its end (${now.state})`
  throw new UnknownOutcomeError(why, { code: 'not-paid' })

  /** The next step from the state that the order is in; null: there is none. */
  async function advance(now: ShopOrder): Promise<ShopOrder | null> {
    const right = now.totalWithTax === paid
    switch (now.state) {
      case 'Draft':
        return await transition(shop, now, 'ArrangingPayment', step)
      case 'ArrangingPayment':
        return await pay(now)
      case 'ArrangingAdditionalPayment':
        // A first payment brings the order on by itself, an additional one does not.
        return surplus(now) < 0 ? await pay(now) : await transition(shop, now, 'PaymentSettled', step)
      case 'Modifying':
        if (!right) return await modify(now)
        return await transition(shop, now, surplus(now) < 0 ? 'ArrangingAdditionalPayment' : 'PaymentSettled', step)
      case 'PaymentSettled':
        if (!right) return await transition(shop, now, 'Modifying', step)
        return await settleDifference(now)
      default:
        return null
    }
  }

  async function pay({ id }: ShopOrder): Promise<ShopOrder> {
    const { paymentMethod: method } = shop.options
    const metadata = { [PAYMENT_MARK]: step.key, order: order.number, receipt: order.receiptNo }
    const input = { orderId: id, method, transactionId: order.transactionId ?? order.number, metadata }
    return await runOrder(shop, shop.operations.pay, { input }, step)
  }

  async function modify(now: ShopOrder): Promise<ShopOrder> {
    const surcharges = surchargesOf(now, basket, paid, shop.amounts.toShop)
    const lower = now.totalWithTax - paid
    const [payment] = now.payments
    const input = {
      dryRun: false,
      orderId: now.id,
      note: 'What was paid at the till',
      surcharges,
      ...(lower > 0 && payment && { refund: { paymentId: payment.id, amount: lower, reason: LOWER_PRICE } }),
    }
    return await runOrder(shop, shop.operations.modify, { input }, step)
  }

  /** The refund of the difference is one in the books only. */
  async function settleDifference(now: ShopOrder): Promise<ShopOrder | null> {
    const refunds = now.payments.flatMap((payment) => payment.refunds)
    const pending = refunds.find(({ state, reason }) => state === 'Pending' && reason === LOWER_PRICE)
    if (!pending) return null
    const input = { id: pending.id, transactionId: order.transactionId ?? order.number }
    await shop.api.run(shop.operations.settleRefund, { input }, step.signal)
    return await readOrder(shop, now.id, step)
  }

  /** The effect, as the timeline tells it: nothing that is out of the ordinary is left out. */
  function effectOf(now: ShopOrder): Effect {
    const { id, code, state, currencyCode, totalWithTax, lines, surcharges } = now
    const facts = [`order ${code}`, counted(lines.length, 'line')]
    if (surcharges.length > 0) facts.push(counted(surcharges.length, 'surcharge'))
    facts.push(`${shop.amounts.decimal(totalWithTax)} ${currencyCode}`)
    if (state === 'Cancelled') facts.push('left as it is: Cancelled')
    else if (totalWithTax !== paid) facts.push('please check: the total is not what was paid')
    return { links: [{ kind: 'order', id: idOfTillOrder(order), theirId: id }], note: facts.join(', ') }
  }
}
