import { randomUUID } from 'node:crypto'
import { Refusal } from '../refusal.ts'
import type { Store } from '../stores.ts'
import type { OrderBody } from './body.ts'

/** The states of an order (spec, "Omnichannel order status"); for a pickup, Shipped is picked up. */
type OrderStatus = 'UnHandled' | 'Picked' | 'Shipped' | 'Rejected' | 'Expired'

export interface OrderLine {
  rowId: string
  gtin: string
  quantity: number
  price: number
  status: 'UnHandled' | 'Picked' | 'Declined'
}

/** An online order in a store. */
export interface Order {
  orderId: number
  /** A GUID. */
  id: string
  store: Store
  body: OrderBody
  status: OrderStatus
  lines: readonly OrderLine[]
  /** The parcels of an order that a store ships, and what went into each. */
  shipments: readonly { id: string; items: readonly { gtin: string }[] }[]
  /** Milliseconds since 1970. */
  createdAt: number
  updatedAt: number | null
}

/** A new order. */
export function newOrder(orderId: number, store: Store, body: OrderBody, createdAt: number): Order {
  const lines = linesOf(body)
  return {
    orderId,
    id: randomUUID(),
    store,
    body,
    status: 'UnHandled',
    lines,
    shipments: [],
    createdAt,
    updatedAt: null,
  }
}

/** The body's lines, which nobody has looked at. */
export function linesOf({ orderLines }: OrderBody): OrderLine[] {
  return orderLines.map(({ gtin, price, quantity }, index) => ({
    rowId: String(index + 1),
    gtin,
    quantity: Number(quantity),
    price: Number(price),
    status: 'UnHandled',
  }))
}

/** The goods lie ready for the customer. What was declined stays so. */
export function picked(order: Order): Order {
  requirePickup(order, true)
  requireStatus(order, 'UnHandled')
  return { ...order, status: 'Picked', lines: order.lines.map(asPicked) }
}

/** The customer has fetched the goods. */
export function collected(order: Order): Order {
  requirePickup(order, true)
  requireStatus(order, 'Picked')
  return { ...order, status: 'Shipped' }
}

/** The store does not have one article, or anything of the order; when nothing is left, the order is Rejected. */
export function declined(order: Order, gtin: string | null): Order {
  requireStatus(order, 'UnHandled', 'Picked')
  if (gtin !== null && !order.lines.some((line) => line.gtin === gtin))
    throw new Refusal(400, `Order ${order.body.orderNo} has no line of ${gtin}.`)
  const lines = order.lines.map((line) =>
    gtin === null || line.gtin === gtin ? { ...line, status: 'Declined' as const } : line,
  )
  const isNothingLeft = lines.every(({ status }) => status === 'Declined')
  return { ...order, lines, status: isNothingLeft ? 'Rejected' : order.status }
}

/** The store has picked and packed what it ships: one parcel. */
export function packed(order: Order): Order {
  requirePickup(order, false)
  requireStatus(order, 'UnHandled')
  const lines = order.lines.map(asPicked)
  const items = lines
    .filter(({ status }) => status === 'Picked')
    .flatMap(({ gtin, quantity }) => Array.from({ length: quantity }, () => ({ gtin })))
  return { ...order, status: 'Shipped', lines, shipments: [{ id: randomUUID(), items }] }
}

/** The customer did not come while the goods were reserved (no source says what sets Expired: this is a guess). */
export function expired(order: Order): Order {
  requireStatus(order, 'UnHandled', 'Picked')
  return { ...order, status: 'Expired' }
}

/** Without an address to ship to, the customer comes (spec, "shippingAddress"). */
export function isPickup({ body }: Order): boolean {
  return !body.shippingAddress
}

function asPicked(line: OrderLine): OrderLine {
  return line.status === 'UnHandled' ? { ...line, status: 'Picked' } : line
}

function requirePickup(order: Order, wanted: boolean): void {
  if (isPickup(order) !== wanted)
    throw new Refusal(
      400,
      `Order ${order.body.orderNo} is ${wanted ? 'shipped from the store' : 'fetched in the store'}.`,
    )
}

/** The spec does not show the states that an action may start from: these are the ones that make sense. */
function requireStatus({ body, status }: Order, ...allowed: OrderStatus[]): void {
  if (!allowed.includes(status))
    throw new Refusal(409, `Order ${body.orderNo} is ${status}, not ${allowed.join(' or ')}.`)
}
