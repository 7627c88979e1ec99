import { articleKey } from '../catalogue/article-number.ts'
import { compareDecimals, type Decimal, parseDecimal, subtractDecimals, sumDecimals } from '../values/money.ts'

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
  /** Null: the customer fetches it. None: a platform may write an empty list then, too, or nothing of it is packed yet. */
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
  /** The goods, all of them. None: it has no id, or something in it cannot be read, so that nobody can act on it. */
  items: { gtin: string; quantity: Decimal }[]
}

/** Whether parcels of it are named: nobody is told to come for what is sent. */
export function hasParcels({ shipments }: Pick<OrderUpdate, 'shipments'>): boolean {
  return shipments !== null && shipments.length > 0
}

/** Whether a store does not have the goods of a line; one platform calls that Declined, the other Rejected. */
export function isDeclined(status: string | null): boolean {
  return status === 'Declined' || status === 'Rejected'
}

/** Goods of an order that are in none of its parcels, by GTIN. What was declined is not sent, and what cannot be counted is left out. */
export function unpackedGoods({ lines, shipments }: Pick<OrderUpdate, 'lines' | 'shipments'>): Shipment['items'] {
  const packed = Map.groupBy(
    (shipments ?? []).flatMap(({ items }) => items),
    ({ gtin }) => (gtin === null ? null : articleKey(gtin)),
  )
  const wanted = Map.groupBy(
    lines.filter(({ status }) => !isDeclined(status)),
    ({ gtin }) => gtin,
  )
  return [...wanted].flatMap(([gtin, same]) => {
    if (gtin === null) return []
    const has = sumDecimals((packed.get(articleKey(gtin)) ?? []).map((item) => item.quantity))
    const quantity = subtractDecimals(sumDecimals(same.flatMap((line) => line.quantity ?? [])), has)
    return compareDecimals(quantity, NONE) > 0 ? [{ gtin, quantity }] : []
  })
}

const NONE = parseDecimal(0)

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

/** Statuses of orders and lines as the rules name them (spec, "Omnichannel order status"; facts, order status values). */
const STATUSES = ['UnHandled', 'Picked', 'Shipped', 'Rejected', 'Expired', 'Returned', 'Declined', 'Accepted']

/**
 * A status as the rules name it, whoever wrote it: the platform's two APIs differ in nothing but case. One that is not known stays as
 * written.
 */
export function statusWord(written: string | null): string | null {
  const plain = written?.toLowerCase()
  return STATUSES.find((status) => status.toLowerCase() === plain) ?? written
}
