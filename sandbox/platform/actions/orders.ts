import { randomUUID } from 'node:crypto'
import type { OrderBook } from '../orders/book.ts'
import { isPickup, type Order } from '../orders/order.ts'
import { CUSTOMERS } from '../people/customers.ts'
import { Refusal } from '../refusal.ts'
import { toText } from '../sales/amounts.ts'
import type { Pos } from '../sales/pos.ts'
import { storeOf } from '../stores.ts'
import type { OrderActions } from './all.ts'

/** The actions of stores' staff on online orders, and the coming of one. */
export function createOrderActions(pos: Pos, orders: OrderBook): OrderActions {
  /** The order that is named, or the latest one that `fits`. */
  function order(orderNo: string | undefined, fits: (order: Order) => boolean): string {
    const found = orderNo ?? orders.all().findLast(fits)?.body.orderNo
    if (found === undefined) throw new Refusal(404, 'There is no order with which this can be done.')
    return found
  }

  const isOpen = ({ status }: Order) => status === 'UnHandled' || status === 'Picked'

  return {
    placeOrder({ store: number, lines, sku, quantity = 1, orderNo, ship = false, paid = true } = {}) {
      const store = number === undefined ? pos.anyStore() : storeOf(number)
      const named = lines ?? [{ sku: sku ?? pos.anyArticle().sku, quantity }]
      const goods = named.map((line) => ({ article: pos.articleOf(line.sku), quantity: line.quantity ?? 1 }))
      const total = goods.reduce((sum, { article, quantity: many }) => sum + article.cents * many, 0)
      const [customer] = CUSTOMERS
      const { firstName = '', lastName = '', email = '', phone = '', phonePrefix = '', address } = customer ?? {}
      const { orderId, body } = orders.create(store, {
        orderNo: orderNo ?? `W-${randomUUID().slice(0, 8)}`,
        customer: { firstName, lastName, email, phone, phoneCountryCode: phonePrefix },
        ...(ship && { shippingAddress: { firstName, lastName, ...address } }),
        orderLines: goods.map(({ article, quantity: many }) => ({
          gtin: article.gtin,
          price: toText(article.cents),
          quantity: String(many),
        })),
        paymentLines: paid ? [{ amount: toText(total), currency: store.Currency, type: 'Card' }] : [],
        status: 'UnHandled',
        store: { storeName: store.StoreName },
      })
      return { orderId, orderNo: body.orderNo, store: store.StoreNo, total: `${toText(total)} ${store.Currency}` }
    },

    pickOrder: ({ orderNo } = {}) =>
      shown(orders.actions.pick(order(orderNo, (one) => isPickup(one) && one.status === 'UnHandled'))),

    collectOrder: ({ orderNo } = {}) =>
      shown(orders.actions.collect(order(orderNo, (one) => isPickup(one) && one.status === 'Picked'))),

    packOrder: ({ orderNo } = {}) =>
      shown(orders.actions.pack(order(orderNo, (one) => !isPickup(one) && one.status === 'UnHandled'))),

    declineOrder: ({ orderNo, sku } = {}) =>
      shown(orders.actions.decline(order(orderNo, isOpen), sku === undefined ? null : pos.articleOf(sku).gtin)),

    expireOrder: ({ orderNo } = {}) => shown(orders.actions.expire(order(orderNo, isOpen))),

    returnOrder({ orderNo: asked, store, sku, gtin: named, rowId, quantity = 1, isRefunded = true } = {}) {
      const orderNo = order(asked, ({ status }) => status === 'Shipped')
      const known = orders.all().find(({ body }) => body.orderNo === orderNo)
      const first = known?.lines.find(({ status }) => status !== 'Declined')
      const gtin = named ?? (sku === undefined ? first?.gtin : pos.articleOf(sku).gtin)
      if (gtin === undefined) throw new Refusal(400, `Order ${orderNo} is not known here: name the article.`)
      const lines = [{ gtin, quantity, rowId: rowId ?? known?.lines.find((line) => line.gtin === gtin)?.rowId ?? null }]
      orders.actions.returnOnline({ orderNo, lines, isRefunded, ...(store !== undefined && { store }) })
      return { orderNo, gtin, quantity, isRefunded }
    },
  }
}

function shown({ orderId, body, status, store }: Order) {
  return { orderId, orderNo: body.orderNo, status, store: store.StoreNo }
}
