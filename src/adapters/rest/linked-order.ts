import type { Link } from '../../domain/orders/link.ts'
import { sortOfLink } from '../../domain/orders/order-link.ts'
import { ambiguous } from '../../domain/orders/which-order.ts'

/** The facts that mappings are told of an order which the hub has a link to. */
interface LinkedOrder {
  theirId?: string
  /** The order is one that a till placed; else it is a web order, or nobody knows. */
  ofTill?: true
}

/**
 * The order that is linked under a number. The system cannot be asked for goods: two orders of one number throw a HeldError
 * `ambiguous-order`, and what shares only the number of its receipt is no order of this number.
 */
export function linkedOrder(where: string, number: string, links: readonly Link[]): LinkedOrder {
  const numbered = links.filter(({ id }) => sortOfLink(id) !== 'receipt')
  const orders = [...new Map(numbered.map((link) => [link.theirId, link])).values()]
  const [only] = orders
  if (!only) return {}
  if (orders.length > 1)
    throw ambiguous(
      where,
      number,
      orders.map(({ id, theirId }) => ({ theirId, is: sortOfLink(id) })),
    )
  return { theirId: only.theirId, ...(sortOfLink(only.id) === 'till' && { ofTill: true }) }
}
