import { articleKey } from '../catalogue/article-number.ts'
import { compareDecimals, type Decimal, parseDecimal, subtractDecimals, sumDecimals } from '../values/money.ts'

/** The whole order as store staff left it (spec, "Omnichannel order update webhook payload"); without time or sequence. */
export interface OrderUpdate {
  number: string
  platformId: string | null
  /** `UnHandled`, `Picked`, `Shipped`, `Rejected`, `Expired`, `Returned` …, as written. */
  status: string
  /** Null: pick-up. Empty: pick-up on some platforms, or nothing packed yet. */
  shipments: Shipment[] | null
  /** Equal key and status are summed. */
  lines: OrderLineUpdate[]
  stockId: string | null
  stockName: string | null
}

export interface OrderLineUpdate {
  /** Row id, else GTIN, else position. */
  key: string
  rowId: string | null
  gtin: string | null
  /** Null: not a positive number. */
  quantity: Decimal | null
  /** `Picked`, `Declined` …, as written. */
  status: string | null
}

export interface Shipment {
  id: string
  /** Empty: no id, or unreadable content. */
  items: { gtin: string; quantity: Decimal }[]
}

export function hasParcels({ shipments }: Pick<OrderUpdate, 'shipments'>): boolean {
  return shipments !== null && shipments.length > 0
}

/** One platform says Declined, another Rejected. */
export function isDeclined(status: string | null): boolean {
  return status === 'Declined' || status === 'Rejected'
}

/** By GTIN, without declined and uncountable goods. */
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

export function mergedLines(lines: readonly OrderLineUpdate[]): OrderLineUpdate[] {
  const byKey = new Map<string, OrderLineUpdate>()
  for (const line of lines) {
    const before = byKey.get(line.key)
    byKey.set(line.key, before ? { ...before, quantity: bothOf(before.quantity, line.quantity) } : line)
  }
  return [...byKey.values()]
}

/** Null if either is unreadable. */
export function bothOf(one: Decimal | null, other: Decimal | null): Decimal | null {
  return one && other && sumDecimals([one, other])
}

const STATUSES = ['UnHandled', 'Picked', 'Shipped', 'Rejected', 'Expired', 'Returned', 'Declined', 'Accepted']

/** The platform's APIs differ in case; unknown words stay. */
export function statusWord(written: string | null): string | null {
  const plain = written?.toLowerCase()
  return STATUSES.find((status) => status.toLowerCase() === plain) ?? written
}

/** Spec, "Refund update webhook payload". */
export interface OrderReturn {
  number: string
  refundId: string
  /** Only `Returned` is documented; as written. */
  status: string | null
  /** false: the shop must refund. */
  isRefunded: boolean
  /** With unique `key`s. */
  lines: OrderLineUpdate[]
  stockId: string | null
  stockName: string | null
}
