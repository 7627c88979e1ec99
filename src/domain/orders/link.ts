import type { TillOrder } from './order.ts'

/** External id: our `order` `A1` is `99` at `shop`. Adapters return links; the worker stores them with the attempt. */
export interface Link {
  kind: string
  id: string
  destination: string
  theirId: string
  /** A cumulative quantity or name: a replacing destination is not told again. Not returned by lookups of ids. */
  isLevel?: true
}

/** Web and POS orders are separate namespaces: endless aisle 1008 is not web order 1008. */

const TILL = 'till:'
const RECEIPT = 'receipt:'
export const KINDS_OF_ORDER = ['order', 'draft', 'shipment', 'refund', 'declined', 'returned'] as const

export function idOfTillOrder({ orderNo, receiptNo }: Pick<TillOrder, 'orderNo' | 'receiptNo'>): string {
  return orderNo === null ? RECEIPT + receiptNo : TILL + orderNo
}

export function idsOfOrder(number: string): string[] {
  return [number, TILL + number, RECEIPT + number]
}

export function numberOfLink(id: string): string {
  return [TILL, RECEIPT].reduce((rest, prefix) => (rest.startsWith(prefix) ? rest.slice(prefix.length) : rest), id)
}

export function sortOfLink(id: string): 'web' | 'till' | 'receipt' {
  if (id.startsWith(TILL)) return 'till'
  return id.startsWith(RECEIPT) ? 'receipt' : 'web'
}
