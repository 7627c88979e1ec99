import { keyPart } from '../queue/event.ts'
import type { OrderReturn } from './order-return.ts'
import type { OrderLineUpdate, OrderUpdate } from './order-update.ts'

/*
 * Facts about an online order, by name. What events prove, and what overtakes a step, is a fact of the store or the
 * platform (the customer has it); what a step brings about is one of the shop (it was captured): no event proves that, so
 * that an uncertain one is looked for. `placed` is both: an update of an order proves that its submission has happened.
 */

/** The platform has the order. */
export const placed = (orderNo: string) => fact(orderNo, 'placed')
/** The customer has it. */
export const collected = (orderNo: string) => fact(orderNo, 'collected')
/** The store does not carry it out at all. */
export const rejected = (orderNo: string) => fact(orderNo, 'rejected')
/** The order's reservation ran out. */
export const expired = (orderNo: string) => fact(orderNo, 'expired')
/** The order was cancelled by whoever placed it. */
export const cancelled = (orderNo: string) => fact(orderNo, 'cancelled')
/** The order was called off before any store had it. */
export const neverPlaced = (orderNo: string) => fact(orderNo, 'never-placed')
/** The customer was told to come. */
export const told = (orderNo: string) => fact(orderNo, 'told')
/** The order's payment was captured. */
export const captured = (orderNo: string) => fact(orderNo, 'captured')
/** The shop knows that it is off. */
export const calledOff = (orderNo: string) => fact(orderNo, 'called-off')
/** The till gave the money of a refund back. */
export const paidBack = (orderNo: string, refundId: string) => fact(orderNo, `paid-back/${keyPart(refundId)}`)
/** The beginning of all effects about declined goods of an order. */
export const anyDeclined = (orderNo: string) => fact(orderNo, 'declined/')
/** The pieces of a line that were given back, because the store does not have them. */
export const declined = (orderNo: string, line: string, quantity: string) =>
  fact(orderNo, `declined/${line}/${keyPart(quantity)}`)
/** The pieces of a line of a refund that were given back, or noted. */
export const returned = (orderNo: string, refundId: string, line: string, quantity: string) =>
  fact(orderNo, `returned/${keyPart(refundId)}/${line}/${keyPart(quantity)}`)
/** The beginning of all effects about goods of an order that came back. */
export const anyReturned = (orderNo: string) => fact(orderNo, 'returned/')
/** An order that is sent lies in its parcels, all of it. */
export const allPacked = (orderNo: string) => fact(orderNo, 'all-packed')
/** A person knows that goods of an order that is sent are in none of its parcels. */
export const unpacked = (orderNo: string) => fact(orderNo, 'unpacked')
/** The parcel has a shipment, of these contents (a digest); null: of whatever contents, the beginning of these names. */
export const packed = (orderNo: string, shipmentId: string, contents: string | null) =>
  fact(orderNo, `packed/${keyPart(shipmentId)}${contents === null ? '' : `/${contents}`}`)

/** The word of an update that nobody here knows: a person has been told of it. */
export const unread = (orderNo: string, word: string) => fact(orderNo, `unread/${keyPart(word)}`)

/** A fact of the one order that the platform knows by this id: another order may have its number. */
export function ofOneOrder(fact: string, platformId: string): string {
  const [order, number, ...what] = fact.split('/')
  return [order, `${number}@${keyPart(platformId)}`, ...what].join('/')
}

function fact(orderNo: string, what: string): string {
  return `order/${keyPart(orderNo)}/${what}`
}

/**
 * The doubt that keeps a line of a refund from being acted on: the spec shows that goods are `Returned`, and what any other word means is a
 * guess. Null: nothing. A line need not say it again.
 */
export function doubtOf({ status }: OrderReturn, line: OrderLineUpdate): string | null {
  if (status !== BACK) return `the refund is called ${shown(status)}, not ${BACK}`
  if (line.status !== null && line.status !== BACK)
    return `the line ${shown(line.key)} of the refund is called ${shown(line.status)}, not ${BACK}`
  return null
}

/** As much of a payload's word as a person needs. */
function shown(word: string | null): string {
  return word === null ? 'nothing' : word.slice(0, 60)
}

const BACK = 'Returned'

/** Statuses of orders and lines whose meaning is known (spec, "Omnichannel order status"; facts, order status values). */
const OF_ORDERS = ['UnHandled', 'Picked', 'Shipped', 'Rejected', 'Expired', 'Returned']
const OF_LINES = ['UnHandled', 'Accepted', 'Picked', 'Shipped', 'Declined', 'Rejected', 'Returned']

/**
 * The words of an update whose meaning nobody here knows, each once, and what it stands for. A line that is called what its order is called
 * says nothing more.
 */
export function unknownWords({ status, lines }: OrderUpdate): { word: string; of: 'order' | 'line' }[] {
  const ofLines = new Set(lines.flatMap((line) => line.status ?? []))
  return [
    ...(OF_ORDERS.includes(status) ? [] : [{ word: shown(status), of: 'order' as const }]),
    ...[...ofLines]
      .filter((word) => word !== status && !OF_LINES.includes(word))
      .map((word) => ({ word: shown(word), of: 'line' as const })),
  ]
}
