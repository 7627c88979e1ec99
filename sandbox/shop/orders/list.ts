import type { z } from 'zod'
import { integer, listOf, oneOf } from '../parameters.ts'
import type { SiteTime } from '../site-time.ts'
import { CollectionQuery, isWithin, sorted } from './collection.ts'
import { type Order, STATUSES, type Status } from './order.ts'

const statuses = Object.keys(STATUSES) as Status[]

/** The parameters that `GET /orders` reads. There is no filter by meta data. */
export const OrderQuery = CollectionQuery.extend({
  status: listOf(oneOf('any', ...statuses)).default(['any']),
  customer: integer.optional(),
  orderby: oneOf('date', 'id', 'include', 'modified').default('date'),
})

type OrderQuery = z.infer<typeof OrderQuery>

/** The orders that a query names, in its order. */
export function listOrders(all: Order[], query: OrderQuery, time: SiteTime): Order[] {
  const found = all.filter(
    (order) =>
      hasStatus(order, query.status) &&
      (query.customer === undefined || query.customer === order.customerId) &&
      (!query.search || isFoundBy(order, query.search)) &&
      isWithin(order, query, time),
  )
  return sorted(found, query.orderby, query)
}

/** `any` leaves out the drafts and the trash. */
function hasStatus(order: Order, wanted: readonly string[]): boolean {
  if (!wanted.includes('any')) return wanted.includes(order.status)
  return order.status !== 'auto-draft' && order.status !== 'checkout-draft' && order.status !== 'trash'
}

/**
 * Where WooCommerce looks with orders in tables of their own: id, transaction, start of the e-mail address, names of the
 * products, addresses. Not in notes, not in meta data; but a plugin that numbers orders adds its numbers.
 */
function isFoundBy(order: Order, search: string): boolean {
  const term = search.toLowerCase()
  const names = order.lines.map((line) => line.name)
  const others = [...order.shippingLines.map((line) => line.methodTitle), ...order.feeLines.map((line) => line.name)]
  const addresses = [order.billing, order.shipping].map((address) => Object.values(address).join(' '))
  const email = order.billing.email ?? ''
  return (
    String(order.id) === search ||
    order.number === search ||
    email.toLowerCase().startsWith(term) ||
    [order.transactionId, ...names, ...others, ...addresses].some((text) => text.toLowerCase().includes(term))
  )
}
