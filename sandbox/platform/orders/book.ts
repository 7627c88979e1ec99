import { Refusal } from '../refusal.ts'
import type { Emit } from '../sales/emit.ts'
import { STORES, type Store, storeOf } from '../stores.ts'
import type { Strange } from '../strange.ts'
import type { OrderBody } from './body.ts'
import { deedsOf, type OrderDeed } from './deeds.ts'
import type { OrderGoods } from './goods.ts'
import { collected, declined, expired, linesOf, newOrder, type Order, packed, picked } from './order.ts'
import { type Returned, refundPayload, updatePayload } from './payload.ts'

/** The online orders that stores have, and what their staff does with them. What cannot be is a Refusal and changes nothing. */
export function createOrderBook(
  now: () => number,
  emit: Emit,
  goods: OrderGoods,
  strange: Pick<Strange, 'listsNoParcels'>,
) {
  const orders = new Map<string, Order>()
  const deeds: OrderDeed[] = []
  let lastId = 510_000

  function get(orderNo: string): Order {
    const order = orders.get(orderNo)
    if (!order) throw new Refusal(404, `There is no order ${orderNo}.`)
    return order
  }

  function step(orderNo: string, what: OrderDeed['what'], next: (order: Order) => Order): Order {
    const before = get(orderNo)
    const order = { ...next(before), updatedAt: now() }
    orders.set(orderNo, order)
    deeds.push(...deedsOf(what, before, order))
    emit('OmniChannelOrderUpdated', updatePayload(order, strange), order.store)
    // Nothing shows this one's payload: it tells the same.
    if (order.status === 'Shipped') {
      emit('OmniChannelOrderFulfilled', updatePayload(order, strange), order.store)
      goods.hand(order)
    }
    if (order.status === 'Expired') goods.release(order, 'Expired')
    for (const { gtin, status } of order.lines) if (status === 'Declined') goods.release(order, 'Released', gtin)
    return order
  }

  return {
    get,

    all: (): Order[] => [...orders.values()],

    /** The deeds of staff, oldest first. */
    deeds: (): readonly OrderDeed[] => deeds,

    /** A number that is taken is refused: the order would replace one that staff works on. */
    create(store: Store, body: OrderBody): Order {
      if (orders.has(body.orderNo)) throw new Refusal(409, `There is an order ${body.orderNo} already.`)
      lastId += 1
      const order = newOrder(lastId, store, body, now())
      orders.set(body.orderNo, order)
      goods.keep(order)
      return order
    },

    /** Takes the whole order anew, as long as nobody has begun with it. */
    replace(body: OrderBody): Order {
      const order = get(body.orderNo)
      if (order.status !== 'UnHandled') throw new Refusal(409, `Order ${body.orderNo} is ${order.status} already.`)
      const next = { ...order, body, lines: linesOf(body), updatedAt: now() }
      orders.set(body.orderNo, next)
      goods.release(order, 'Released')
      goods.keep(next)
      return next
    },

    /** The order disappears from the POS. */
    remove(orderNo: string): Order {
      const order = get(orderNo)
      orders.delete(orderNo)
      goods.release(order, 'Released')
      return order
    },

    /** The actions of staff. */
    actions: {
      /** Ready for pickup. */
      pick: (orderNo: string): Order => step(orderNo, 'picked', picked),

      /** Picked up. */
      collect: (orderNo: string): Order => step(orderNo, 'collected', collected),

      /** Declined: one article, or everything. */
      decline: (orderNo: string, gtin: string | null = null): Order =>
        step(orderNo, 'declined', (order) => declined(order, gtin)),

      /** Picked and packed, to be shipped from the store. */
      pack: (orderNo: string): Order => step(orderNo, 'packed', packed),

      /** Nobody's action: the reservation runs out. */
      expire: (orderNo: string): Order => step(orderNo, 'expired', expired),

      /**
       * An order of the online store comes back over the counter. The POS may have looked the order up somewhere else,
       * so any number is good; of an order that is known here, no more comes back than was ordered.
       */
      returnOnline(returned: Returned & { store?: string }): void {
        const known = orders.get(returned.orderNo)
        for (const { gtin, quantity } of returned.lines) requireReturnable(returned.orderNo, known, gtin, quantity)
        const [first] = STORES
        const store = returned.store === undefined ? (known?.store ?? first) : storeOf(returned.store)
        if (!store) throw new RangeError('There is no store.')
        const { orderNo, isRefunded, lines } = returned
        for (const { gtin, quantity } of lines) deeds.push({ what: 'returned', orderNo, gtin, quantity, isRefunded })
        emit('OmniChannelOrderRefundUpdated', refundPayload(returned, store), store)
        goods.takeBack(store, returned.lines)
      },
    },
  }
}

export type OrderBook = ReturnType<typeof createOrderBook>

function requireReturnable(orderNo: string, known: Order | undefined, gtin: string, quantity: number): void {
  if (!Number.isInteger(quantity) || quantity < 1) throw new Refusal(400, `${gtin}: the quantity must be 1 or more.`)
  if (!known) return
  const ordered = known.lines.filter((line) => line.gtin === gtin).reduce((sum, line) => sum + line.quantity, 0)
  if (quantity > ordered) throw new Refusal(400, `Order ${orderNo} has ${ordered} of ${gtin}, not ${quantity}.`)
}
