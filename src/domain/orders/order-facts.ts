import { keyPart } from '../queue/event.ts'

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
