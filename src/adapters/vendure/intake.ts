import { formatInstant } from '../../domain/values/instant.ts'
import type { Intake, IntakeItem } from '../../ports/intake.ts'
import { given, orderAddress, orderCustomer, saleCustomer } from '../shared/contact.ts'
import { createOrderPoll } from '../shared/order-poll.ts'
import { piecesOf } from '../shared/shop-orders.ts'
import { orders } from './orders/find-order.ts'
import {
  buyerOf,
  contactOf,
  customField,
  gtinOf,
  isFromPos,
  ourCancellations,
  priceOf,
  type ShopLine,
  type ShopOrder,
  surplus,
} from './orders/shop-order.ts'
import type { Shop } from './shop.ts'

const WAITING = new Set(['PaymentAuthorized', 'PaymentSettled'])

function itemsOf(shop: Shop, order: ShopOrder): IntakeItem[] {
  // The sellers' orders count.
  if (isFromPos(order) || order.type === 'Aggregate') return []
  const place = locationOf(shop, order)
  if (place === null) return order.state === 'Delivered' ? [saleOf(shop, order)] : []
  if (order.state === 'Cancelled')
    return ourCancellations(order).length > 0 ? [] : [item('cancellations', order, place, { orderNo: order.code })]
  return WAITING.has(order.state) ? [submittedOf(shop, order, place)] : []
}

function locationOf({ options: { pickup } }: Shop, order: ShopOrder): string | null {
  const method = order.shippingLines.map(({ shippingMethod }) => shippingMethod.code)
  const chosen = method.find((code) => pickup?.methods.includes(code))
  if (chosen === undefined) return null
  return pickup?.placeField === undefined ? chosen : customField(order, pickup.placeField)
}

function submittedOf(shop: Shop, order: ShopOrder, place: string): IntakeItem {
  const { amounts, options } = shop
  const lines = order.lines.flatMap((line) => {
    const quantity = line.quantity + declinedOf(order, line)
    if (quantity === 0) return []
    return [
      { gtin: gtinOf(line, options), price: amounts.decimal(priceOf(order, line, 1)), quantity: String(quantity) },
    ]
  })
  const payments = order.payments.filter(({ state }) => state === 'Settled' || state === 'Authorized')
  const value = {
    orderNo: order.code,
    saleDateTime: order.orderPlacedAt,
    customer: orderCustomer(buyerOf(order)),
    ...given({ billingAddress: orderAddress(contactOf(order.billingAddress)) }),
    orderLines: lines,
    currency: order.currencyCode,
    paymentLines: payments.map(({ method, amount }) => ({
      amount: amounts.decimal(amount),
      currency: order.currencyCode,
      type: method,
    })),
  }
  return item('orders', order, place, value)
}

function saleOf({ amounts, options }: Shop, order: ShopOrder): IntakeItem {
  const lines = order.lines.filter(({ quantity }) => quantity > 0)
  const goods = lines.reduce((sum, line) => sum + line.proratedLinePriceWithTax, 0)
  const value = {
    orderNo: order.code,
    saleDateTime: order.orderPlacedAt,
    ...given({ country: order.shippingAddress?.countryCode ?? order.billingAddress?.countryCode }),
    customer: saleCustomer(order.customer?.id ?? order.code, buyerOf(order)),
    salesLines: lines.flatMap((line) =>
      piecesOf(amounts.fromShop(line.proratedLinePriceWithTax, order.currencyCode), line.quantity).map(
        ({ price, quantity: qty }) => ({ identity: gtinOf(line, options), price, qty }),
      ),
    ),
    paymentLines: [{ amount: amounts.decimal(goods), currency: order.currencyCode }],
  }
  return { ...item('sales', order, null, value), ...completionOf(order) }
}

function completionOf({ fulfillments }: ShopOrder): Pick<IntakeItem, 'completedAt'> {
  const times = fulfillments.flatMap(({ state, updatedAt }) => (state === 'Delivered' && updatedAt ? [updatedAt] : []))
  const last = times.toSorted((one, other) => Date.parse(one) - Date.parse(other)).at(-1)
  return last === undefined ? {} : { completedAt: last }
}

/** Times may be in whole seconds, so the key has what may change within one. */
function item(
  resource: IntakeItem['resource'],
  order: ShopOrder,
  place: string | null,
  value: Record<string, unknown>,
): IntakeItem {
  const pieces = order.lines.map(({ id, quantity }) => `${id}x${quantity}`).join('+')
  const key = `${order.id}/${order.updatedAt}/${order.state}/${order.totalWithTax}/${surplus(order)}/${pieces}`
  return { resource, key, theirId: order.id, place, value }
}

function declinedOf(order: ShopOrder, { id }: ShopLine): number {
  return ourCancellations(order)
    .flatMap(({ lines }) => (Array.isArray(lines) ? lines : []))
    .filter((line) => String(Object(line).orderLineId) === id)
    .reduce((sum, line) => sum + (Number(Object(line).quantity) || 0), 0)
}

const PAGE = 50

export function createIntake(shop: Shop): Intake {
  const poll = createOrderPoll({
    async read(after, page, signal) {
      const options = {
        filter: { updatedAt: { after: formatInstant(after) }, orderPlacedAt: { isNull: false } },
        // No second field: GraphQL gives Vendure the fields in the schema's order, so that `id` would come first.
        sort: { updatedAt: 'ASC' },
        take: PAGE,
        skip: (page - 1) * PAGE,
      }
      const { items } = await orders(shop, options, signal)
      return { orders: items, more: items.length === PAGE }
    },
    changedAt: ({ updatedAt }) => Date.parse(updatedAt),
    itemsOf: (order) => itemsOf(shop, order),
  })
  return { poll }
}
