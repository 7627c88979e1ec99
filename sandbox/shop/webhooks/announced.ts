import type { Order } from '../orders/order.ts'
import type { Orders } from '../orders/orders.ts'

type Announce = (event: 'created' | 'updated', order: Order) => void

/** The same orders, of which whatever is saved is announced, also where the request fails after the save. */
export function announceOrders(orders: Orders, announce: Announce): Orders {
  return {
    ...orders,
    async create(input, moments) {
      const before = orders.all().length
      try {
        return await orders.create(input, moments)
      } finally {
        for (const order of orders.all().slice(before)) announce('created', order)
        // Paying it is a second save.
        if (input.set_paid === true) for (const order of orders.all().slice(before)) announce('updated', order)
      }
    },
    async update(order, input, moments) {
      try {
        await orders.update(order, input, moments)
      } finally {
        announce('updated', order)
      }
    },
    async refund(order, input, moments) {
      const before = order.refunds.length
      try {
        return await orders.refund(order, input, moments)
      } finally {
        if (order.refunds.length > before) announce('updated', order)
      }
    },
  }
}
