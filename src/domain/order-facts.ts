import { keyPart } from './event.ts'

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
/** Its reservation ran out. */
export const expired = (orderNo: string) => fact(orderNo, 'expired')
/** It was cancelled by whoever placed it. */
export const cancelled = (orderNo: string) => fact(orderNo, 'cancelled')
/** The customer was told to come. */
export const told = (orderNo: string) => fact(orderNo, 'told')
/** Its payment was captured. */
export const captured = (orderNo: string) => fact(orderNo, 'captured')
/** The shop knows that it is off. */
export const calledOff = (orderNo: string) => fact(orderNo, 'called-off')
/** Of a refund: the till gave the money back. */
export const paidBack = (orderNo: string, refundId: string) => fact(orderNo, `paid-back/${keyPart(refundId)}`)
/** Of a line: so many of it were given back, because the store does not have them. */
export const declined = (orderNo: string, line: string, quantity: string) =>
  fact(orderNo, `declined/${line}/${keyPart(quantity)}`)
/** Of a line of a refund: so many of it were given back, or noted. */
export const returned = (orderNo: string, refundId: string, line: string, quantity: string) =>
  fact(orderNo, `returned/${keyPart(refundId)}/${line}/${keyPart(quantity)}`)
/** Whether an effect is a level (so many declined, or returned): each is about what those before left. */
export function isLevel(effect: string): boolean {
  return /^order\/[^/]*\/(?:declined|returned)\//.test(effect)
}
/** Of a parcel: there is a shipment. */
export const packed = (orderNo: string, shipmentId: string) => fact(orderNo, `packed/${keyPart(shipmentId)}`)

/** What an order's events and deliveries are about. */
export function orderEntity(orderNo: string): string {
  return `order:${keyPart(orderNo)}`
}

function fact(orderNo: string, what: string): string {
  return `order/${keyPart(orderNo)}/${what}`
}
