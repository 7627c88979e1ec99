import { type Decimal, sumDecimals } from '../values/money.ts'

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
  /** Lines, each with its own `key` and status: where several had both in common, their quantities are added. */
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
  /** The goods. None: it has no id, or nothing that can be read is in it, so that nobody can act on it. */
  items: { gtin: string; quantity: Decimal }[]
}

/** Goods of an online order that came back in a store (spec, "Refund update webhook payload"). */
export interface OrderReturn {
  /** The online shop's number. */
  number: string
  /** The platform's GUID of the refund. */
  refundId: string
  /** `Returned` is shown, and no other; as written. Null: not said. */
  status: string | null
  /** true: the till has given the money back. false: the shop must. */
  isRefunded: boolean
  /** Lines, each with its own `key`. */
  lines: OrderLineUpdate[]
  stockId: string | null
  stockName: string | null
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

/** Lines of one key as one, of all their quantities. */
export function mergedLines(lines: readonly OrderLineUpdate[]): OrderLineUpdate[] {
  const byKey = new Map<string, OrderLineUpdate>()
  for (const line of lines) {
    const before = byKey.get(line.key)
    byKey.set(line.key, before ? { ...before, quantity: bothOf(before.quantity, line.quantity) } : line)
  }
  return [...byKey.values()]
}

/** The sum of two quantities; null where either cannot be read, since the sum cannot be told then. */
export function bothOf(one: Decimal | null, other: Decimal | null): Decimal | null {
  return one && other && sumDecimals([one, other])
}
