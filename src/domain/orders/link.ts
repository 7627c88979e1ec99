import type { PosOrder } from './order.ts'

/** External id: our `order` `A1` is `99` at `shop`. Adapters return links; the worker stores them with the attempt. */
export interface Link {
  kind: string
  id: string
  destination: string
  theirId: string
  /** A cumulative quantity or name: a replacing destination is not notified again. Not returned by lookups of ids. */
  isLevel?: true
}

/** Web and POS orders are separate namespaces: endless aisle 1008 is not web order 1008. */

const POS = 'pos:'
const RECEIPT = 'receipt:'
export const KINDS_OF_ORDER = ['order', 'draft', 'shipment', 'refund', 'declined', 'returned'] as const

export function idOfPosOrder({ orderNo, receiptNo }: Pick<PosOrder, 'orderNo' | 'receiptNo'>): string {
  return orderNo === null ? RECEIPT + receiptNo : POS + orderNo
}

export function idsOfOrder(number: string): string[] {
  return [number, POS + number, RECEIPT + number]
}

export function numberOfLink(id: string): string {
  return [POS, RECEIPT].reduce((rest, prefix) => (rest.startsWith(prefix) ? rest.slice(prefix.length) : rest), id)
}

export function sortOfLink(id: string): 'web' | 'pos' | 'receipt' {
  if (id.startsWith(POS)) return 'pos'
  return id.startsWith(RECEIPT) ? 'receipt' : 'web'
}
