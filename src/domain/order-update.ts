import { keyPart } from './event.ts'
import { field, text } from './field.ts'
import { compareDecimals, type Decimal, parseDecimal, sumDecimals } from './money.ts'
import { onceEach } from './once-each.ts'

/**
 * An online order as a store's staff left it, the whole of it (spec, "Omnichannel order update webhook payload"). It has no
 * time and no sequence.
 */
export interface OrderUpdate {
  /** The online shop's number. */
  number: string
  /** The platform's GUID. */
  platformId: string | null
  /** `UnHandled`, `Picked`, `Shipped`, `Rejected`, `Expired`, `Returned` … as written: others may come. */
  status: string
  /** Null: the customer fetches it. */
  shipments: Shipment[] | null
  /** One of a `key` and a status: where several lines have both, their quantities are added. */
  lines: OrderLineUpdate[]
  stockId: string | null
  stockName: string | null
}

export interface OrderLineUpdate {
  /** Tells the line apart within its order: the row's id, else the GTIN, else its place. */
  key: string
  rowId: string | null
  gtin: string | null
  /** Null: it is no number above 0, so that nobody can act on it. */
  quantity: Decimal | null
  /** `Picked`, `Declined` … as written; null: not said. */
  status: string | null
}

/** A parcel that the store has packed. */
export interface Shipment {
  id: string
  /** None: it has no id, or nothing that can be read is in it, so that nobody can act on it. */
  items: { gtin: string; quantity: Decimal }[]
}

/** What came back in a store of an online order (spec, "Refund update webhook payload"). */
export interface OrderReturn {
  /** The online shop's number. */
  number: string
  /** The platform's GUID of the refund. */
  refundId: string
  /** `Returned` is shown, and no other; as written. Null: not said. */
  status: string | null
  /** true: the till has given the money back. false: the shop must. */
  isRefunded: boolean
  /** One of a `key`. */
  lines: OrderLineUpdate[]
  stockId: string | null
  stockName: string | null
}

/**
 * What keeps a line of a refund from being acted on: the spec shows that goods are `Returned`, and what any other word means is a
 * guess. Null: nothing. A line need not say it again.
 */
export function doubtOf({ status }: OrderReturn, line: OrderLineUpdate): string | null {
  if (status !== BACK) return `the refund is called ${shown(status)}, not ${BACK}`
  if (line.status !== null && line.status !== BACK)
    return `the line ${shown(line.key)} of the refund is called ${shown(line.status)}, not ${BACK}`
  return null
}

/** Of a payload's word, as much as a person needs. */
function shown(word: string | null): string {
  return word === null ? 'nothing' : word.slice(0, 60)
}

const BACK = 'Returned'

/** What the statuses of an order and of its lines mean is known of these (spec, "Omnichannel order status"; facts, order status values). */
const OF_ORDERS = ['UnHandled', 'Picked', 'Shipped', 'Rejected', 'Expired', 'Returned']
const OF_LINES = ['UnHandled', 'Accepted', 'Picked', 'Shipped', 'Declined', 'Rejected', 'Returned']

/** The words of an update whose meaning nobody here knows, each once, and what it stands for. */
export function unknownWords({ status, lines }: OrderUpdate): { word: string; of: 'order' | 'line' }[] {
  const ofLines = new Set(lines.flatMap((line) => line.status ?? []))
  return [
    ...(OF_ORDERS.includes(status) ? [] : [{ word: shown(status), of: 'order' as const }]),
    ...[...ofLines]
      .filter((word) => !OF_LINES.includes(word))
      .map((word) => ({ word: shown(word), of: 'line' as const })),
  ]
}

/** Whether a store does not have the goods of a line; one platform calls that Declined, the other Rejected. */
export function isDeclined(status: string | null): boolean {
  return status === 'Declined' || status === 'Rejected'
}

/** Reads `{ order }`; null where it has no number or no status: nobody could act on it. */
export const readOrderUpdate = onceEach(readUpdate)

/** Reads `{ refund }`; null where it lacks the number, the id, or whether the money was given back. */
export const readOrderReturn = onceEach(readReturn)

/** The platform's id of the order that a payload is about; null: it does not tell one. */
export function platformIdOf(payload: unknown): string | null {
  return text(field(payload, 'order'), 'id')
}

function readUpdate(payload: unknown): OrderUpdate | null {
  const order = field(payload, 'order')
  const number = text(order, 'orderNo')
  const status = statusOf(order)
  if (number === null || status === null) return null
  const place = field(order, 'fulfillmentLocation')
  const shipments = field(place, 'shipments')
  return {
    number,
    platformId: platformIdOf(payload),
    status,
    shipments: Array.isArray(shipments) ? shipments.map(readShipment) : null,
    lines: readLines(field(order, 'orderLines'), 'rowId'),
    stockId: text(place, 'stockId'),
    stockName: text(place, 'stockName'),
  }
}

function readReturn(payload: unknown): OrderReturn | null {
  const refund = field(payload, 'refund')
  const number = text(refund, 'orderNo')
  const refundId = text(refund, 'id')
  const isRefunded = field(refund, 'isRefunded')
  if (number === null || refundId === null || typeof isRefunded !== 'boolean') return null
  const place = field(refund, 'fulfillmentLocation')
  return {
    number,
    refundId,
    status: statusOf(refund),
    isRefunded,
    lines: mergedLines(readLines(field(refund, 'orderLines'), 'id')),
    stockId: text(place, 'stockId'),
    stockName: text(place, 'stockName'),
  }
}

function readShipment(shipment: unknown, index: number): Shipment {
  const id = text(shipment, 'id')
  const items = list(field(shipment, 'items')).flatMap((item) => text(item, 'gtin') ?? [])
  if (id === null) return { id: `parcel-${index + 1}`, items: [] }
  const counted = Map.groupBy(items, (gtin) => gtin)
  return { id, items: [...counted].map(([gtin, all]) => ({ gtin, quantity: parseDecimal(all.length) })) }
}

/** Lines of one key as one, of all their quantities. */
export function mergedLines(lines: readonly OrderLineUpdate[]): OrderLineUpdate[] {
  const byKey = new Map<string, OrderLineUpdate>()
  for (const line of lines) {
    const before = byKey.get(line.key)
    byKey.set(line.key, before ? { ...before, quantity: bothOf(before.quantity, line.quantity) } : line)
  }
  return [...byKey.values()]
}

/** As the rules name them; the platform's two APIs differ in nothing but case. */
const STATUSES = ['UnHandled', 'Picked', 'Shipped', 'Rejected', 'Expired', 'Returned', 'Declined', 'Accepted']

/** A status of an order or a line; one that is not known stays as written. */
function statusOf(value: unknown): string | null {
  const written = text(value, 'status')
  const plain = written?.toLowerCase()
  return STATUSES.find((status) => status.toLowerCase() === plain) ?? written
}

/** The same row and status twice is one line of both quantities. */
function readLines(lines: unknown, id: 'rowId' | 'id'): OrderLineUpdate[] {
  const byKey = new Map<string, OrderLineUpdate>()
  for (const [index, line] of list(lines).entries()) {
    const rowId = text(line, id)
    const gtin = text(line, 'gtin')
    const status = statusOf(line)
    const key = keyPart(rowId ?? gtin ?? `line-${index + 1}`)
    const same = `${key}/${status ?? ''}`
    const before = byKey.get(same)
    const quantity = quantityOf(line)
    const sum = before ? bothOf(before.quantity, quantity) : quantity
    byKey.set(same, { key, rowId, gtin, quantity: sum, status })
  }
  return [...byKey.values()]
}

/** What cannot be read of one, cannot be of both. */
function bothOf(one: Decimal | null, other: Decimal | null): Decimal | null {
  return one && other && sumDecimals([one, other])
}

function quantityOf(line: unknown): Decimal | null {
  try {
    const quantity = parseDecimal(field(line, 'quantity'))
    return compareDecimals(quantity, ZERO) > 0 ? quantity : null
  } catch {
    return null
  }
}

const ZERO = parseDecimal(0)

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
