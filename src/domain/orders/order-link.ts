import type { TillOrder } from './order.ts'

/*
 * Web orders and orders of a till are two namespaces: an endless aisle order 1008 is not the web order 1008. A link of kind
 * `order` says by its id which of them it is of. Links from before have the bare number, whichever they are of.
 */

const TILL = 'till:'
const RECEIPT = 'receipt:'

/** The kinds of links whose ids begin with the number of an order: what people see of one. */
export const KINDS_OF_ORDER = ['order', 'draft', 'shipment', 'refund', 'declined', 'returned'] as const

/** The id under which links of a till's order are kept: its number, else that of its receipt, which is no order's number. */
export function idOfTillOrder({ orderNo, receiptNo }: Pick<TillOrder, 'orderNo' | 'receiptNo'>): string {
  return orderNo === null ? RECEIPT + receiptNo : TILL + orderNo
}

/** The ids of the links of every order that this number may mean; that of a web order first. */
export function idsOfOrder(number: string): string[] {
  return [number, TILL + number, RECEIPT + number]
}

/** The number that a link of an order is kept under, of an order or of a receipt. */
export function numberOfLink(id: string): string {
  return [TILL, RECEIPT].reduce((rest, prefix) => (rest.startsWith(prefix) ? rest.slice(prefix.length) : rest), id)
}

/** The sort of order that a link is of. A bare number is a web order's. */
export function sortOfLink(id: string): 'web' | 'till' | 'receipt' {
  if (id.startsWith(TILL)) return 'till'
  return id.startsWith(RECEIPT) ? 'receipt' : 'web'
}
