import { Big } from 'big.js'
import type { FoundOrder, FoundOrderLine } from '../../../domain/orders/order.ts'
import { type Decimal, type Money, parseDecimal, sumDecimals } from '../../../domain/values/money.ts'
import type { Question } from '../../../ports/attempt.ts'
import { foundAddress, foundCustomer } from '../../shared/contact.ts'
import { piecesOf } from '../../shared/shop-orders.ts'
import type { ShopApi } from '../api.ts'
import type { WooCommerceOptions } from '../options.ts'
import { withoutContainers } from '../orders/bundles.ts'
import { idsNumbered, orderById } from '../orders/find-order.ts'
import { wasPaid } from '../orders/order-context.ts'
import { refundsOf as allRefunds } from '../orders/refunds.ts'
import {
  afterDiscount,
  contactOf,
  costOf,
  creditOf,
  discountOf,
  paymentOf,
  piecesBack,
  placedAt,
  type ShopLine,
  type ShopRefund,
  WholeOrder,
} from '../shop-order.ts'

function foundOrder(given: WholeOrder, refunds: readonly ShopRefund[], options: WooCommerceOptions): FoundOrder {
  const { order } = withoutContainers(given)
  const credit = creditOf(order)
  const { billing, shipping, currency } = order
  const total = parseDecimal(order.total)
  const buyer = contactOf(billing)
  const costs = afterDiscount(
    order.line_items.map((line) => costOf(line, currency)),
    discountOf(order),
  )
  return {
    number: order.number,
    theirId: String(order.id),
    placedAt: placedAt(order),
    status: order.status,
    currency,
    total,
    lines: order.line_items.map((line, index) => foundLine(line, costs[index], order, refunds)),
    payments: wasPaid({ options }, order)
      ? [
          { type: paymentOf(order), amount: total, reference: order.transaction_id },
          ...(credit
            ? [{ type: options.creditPayment?.type ?? 'Gift card or credit', amount: credit.amount, reference: null }]
            : []),
        ]
      : [],
    customer: foundCustomer(buyer),
    billingAddress: foundAddress(buyer),
    shippingAddress: foundAddress(contactOf(shipping)),
  }
}

/** Rounded down: three for 100 kr are 33.33 each, so that returns give no more than was paid. */
function foundLine(
  line: ShopLine,
  cost: Money | undefined,
  order: WholeOrder,
  refunds: readonly ShopRefund[],
): FoundOrderLine {
  const { id, global_unique_id: gtin, sku, name, quantity } = line
  const [first] = piecesOf(cost ?? costOf(line, order.currency), quantity)
  return {
    rowId: String(id),
    gtin: gtin?.trim() || null,
    sku: sku?.trim() || null,
    name: name ?? '',
    quantity: parseDecimal(quantity),
    returned: parseDecimal(piecesBack(id, refunds)),
    unitPrice: first?.price ?? parseDecimal(0),
    vatRate: vatRateOf(line, order),
  }
}

function vatRateOf({ taxes }: ShopLine, { tax_lines }: WholeOrder): Decimal | null {
  const own = tax_lines.filter(({ rate_id }) => taxes.some(({ id, total }) => id === rate_id && Number(total) !== 0))
  if (tax_lines.length === 0 || own.some(({ rate_percent }) => typeof rate_percent !== 'number')) return null
  const percent = sumDecimals(own.map(({ rate_percent }) => parseDecimal(rate_percent)))
  return parseDecimal(new Big(percent).div(100).toFixed())
}

const NO_ORDERS = new Set(['auto-draft', 'checkout-draft', 'draft', 'trash'])

/** Exactly this number, also as `#1001` or `10 01`. */
export function createWooSearch(
  api: ShopApi,
  options: WooCommerceOptions,
): (number: string, question: Question) => Promise<FoundOrder[]> {
  return async (number, { signal, theirIds = [] }) => {
    const wanted = plain(number)
    if (wanted === '') return []
    const [linked, byId, bySearch] = await Promise.all([
      Promise.all(theirIds.map((id) => byIdOf(id, signal))).then((all) => all.flat()),
      byIdOf(wanted, signal),
      bySearchOf(wanted, signal),
    ])
    const numbered = [...byId, ...bySearch].filter((one) => plain(one.number) === wanted)
    const orders = new Map([...linked, ...numbered].map((order) => [order.id, order]))
    const found = [...orders.values()].filter((one) => !NO_ORDERS.has(one.status))
    return await Promise.all(
      found.map(async (order) => {
        const answer = foundOrder(order, await refundsOf(order, signal), options)
        return linked.includes(order) ? { ...answer, number } : answer
      }),
    )
  }

  async function byIdOf(wanted: string, signal: AbortSignal): Promise<WholeOrder[]> {
    return [(await orderById(api, wanted, WholeOrder, signal)) ?? []].flat()
  }

  /** A plugin's numbers are in the search. */
  async function bySearchOf(wanted: string, signal: AbortSignal): Promise<WholeOrder[]> {
    const isOwn = (order: Pick<WholeOrder, 'number'>) => plain(order.number) === wanted
    const ids = await idsNumbered(api, wanted, { is: isOwn, isOwn }, signal)
    return (await Promise.all(ids.map((id) => byIdOf(String(id), signal)))).flat()
  }

  async function refundsOf({ id, refunds }: WholeOrder, signal: AbortSignal): Promise<ShopRefund[]> {
    if (refunds.length === 0) return []
    return await allRefunds({ api }, { id }, signal)
  }
}

function plain(number: string): string {
  return number.replaceAll(/[\s#]/g, '').toUpperCase()
}
