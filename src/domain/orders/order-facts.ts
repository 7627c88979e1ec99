import { keyPart } from '../queue/event.ts'
import type { OrderLineUpdate, OrderReturn, OrderUpdate } from './order-update.ts'

export const placed = (orderNo: string) => fact(orderNo, 'placed')
export const collected = (orderNo: string) => fact(orderNo, 'collected')
export const rejected = (orderNo: string) => fact(orderNo, 'rejected')
export const expired = (orderNo: string) => fact(orderNo, 'expired')
export const cancelled = (orderNo: string) => fact(orderNo, 'cancelled')
export const neverPlaced = (orderNo: string) => fact(orderNo, 'never-placed')
export const reported = (orderNo: string) => fact(orderNo, 'reported')
export const captured = (orderNo: string) => fact(orderNo, 'captured')
export const calledOff = (orderNo: string) => fact(orderNo, 'called-off')
export const paidBack = (orderNo: string, refundId: string) => fact(orderNo, `paid-back/${keyPart(refundId)}`)
export const anyDeclined = (orderNo: string) => fact(orderNo, 'declined/')
export const declined = (orderNo: string, line: string, quantity: string) =>
  fact(orderNo, `declined/${line}/${keyPart(quantity)}`)
export const returned = (orderNo: string, refundId: string, line: string, quantity: string) =>
  fact(orderNo, `returned/${keyPart(refundId)}/${line}/${keyPart(quantity)}`)
export const anyReturned = (orderNo: string) => fact(orderNo, 'returned/')
export const allPacked = (orderNo: string) => fact(orderNo, 'all-packed')
export const unpacked = (orderNo: string) => fact(orderNo, 'unpacked')
export const packed = (orderNo: string, shipmentId: string, contents: string | null) =>
  fact(orderNo, `packed/${keyPart(shipmentId)}${contents === null ? '' : `/${contents}`}`)

export const unread = (orderNo: string, word: string) => fact(orderNo, `unread/${keyPart(word)}`)

export function ofOneOrder(fact: string, platformId: string): string {
  const [order, number, ...what] = fact.split('/')
  return [order, `${number}@${keyPart(platformId)}`, ...what].join('/')
}

function fact(orderNo: string, what: string): string {
  return `order/${keyPart(orderNo)}/${what}`
}

export function doubtOf({ status }: OrderReturn, line: OrderLineUpdate): string | null {
  if (status !== BACK) return `the refund is called ${shown(status)}, not ${BACK}`
  if (line.status !== null && line.status !== BACK)
    return `the line ${shown(line.key)} of the refund is called ${shown(line.status)}, not ${BACK}`
  return null
}

function shown(word: string | null): string {
  return word === null ? 'nothing' : word.slice(0, 60)
}

const BACK = 'Returned'

/** Spec, "Omnichannel order status"; facts, order status values. */
const OF_ORDERS = ['UnHandled', 'Picked', 'Shipped', 'Rejected', 'Expired', 'Returned']
const OF_LINES = ['UnHandled', 'Accepted', 'Picked', 'Shipped', 'Declined', 'Rejected', 'Returned']

export function unknownWords({ status, lines }: OrderUpdate): { word: string; of: 'order' | 'line' }[] {
  const ofLines = new Set(lines.flatMap((line) => line.status ?? []))
  return [
    ...(OF_ORDERS.includes(status) ? [] : [{ word: shown(status), of: 'order' as const }]),
    ...[...ofLines]
      .filter((word) => word !== status && !OF_LINES.includes(word))
      .map((word) => ({ word: shown(word), of: 'line' as const })),
  ]
}

export function orderEntity(orderNo: string): string {
  return `order:${keyPart(orderNo)}`
}

export function orderNumberOf(entity: string | null): string | null {
  if (!entity?.startsWith('order:')) return null
  return decodeURIComponent(entity.slice('order:'.length).split('/')[0] ?? '')
}

/** An ordering key of its own, so that waiting steps do not block the creation. */
export function makingEntity(orderNo: string): string {
  return `${orderEntity(orderNo)}/made`
}
