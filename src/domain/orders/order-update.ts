import { articleKey } from '../catalogue/article-number.ts'
import { compareDecimals, type Decimal, subtractDecimals, sumDecimals, ZERO } from '../values/money.ts'

/** Spec, "Omnichannel order update webhook payload"; without time or sequence. */
export interface OrderUpdate {
  number: string
  platformId: string | null
  status: string
  shipments: Shipment[] | null
  lines: OrderLineUpdate[]
  stockId: string | null
  stockName: string | null
}

export interface OrderLineUpdate {
  key: string
  rowId: string | null
  gtin: string | null
  quantity: Decimal | null
  status: string | null
}

export interface Shipment {
  id: string
  items: { gtin: string; quantity: Decimal }[]
}

export function hasParcels({ shipments }: Pick<OrderUpdate, 'shipments'>): boolean {
  return shipments !== null && shipments.length > 0
}

export function isDeclined(status: string | null): boolean {
  return status === 'Declined' || status === 'Rejected'
}

export function unpackedGoods({ lines, shipments }: Pick<OrderUpdate, 'lines' | 'shipments'>): Shipment['items'] {
  const items = (shipments ?? []).flatMap((one) => one.items)
  const packed = Map.groupBy(items, ({ gtin }) => (gtin === null ? null : articleKey(gtin)))
  const ordered = lines.filter(({ status }) => !isDeclined(status))
  const wanted = Map.groupBy(ordered, ({ gtin }) => gtin)
  return [...wanted].flatMap(([gtin, same]) => {
    if (gtin === null) return []
    const has = sumDecimals((packed.get(articleKey(gtin)) ?? []).map((item) => item.quantity))
    const quantity = subtractDecimals(sumDecimals(same.flatMap((line) => line.quantity ?? [])), has)
    return compareDecimals(quantity, ZERO) > 0 ? [{ gtin, quantity }] : []
  })
}

/** One line for all rows of a key. Rows that differ in status have none of them: what is true of one may not go for all. */
export function mergedLines(lines: readonly OrderLineUpdate[]): OrderLineUpdate[] {
  return [...Map.groupBy(lines, ({ key }) => key).values()].map((rows) => {
    const [first, ...others] = rows as [OrderLineUpdate, ...OrderLineUpdate[]]
    const statuses = [...new Set(rows.flatMap(({ status }) => status ?? []))]
    return {
      ...first,
      status: statuses.length > 1 ? statuses.join(' and ') : first.status,
      quantity: others.reduce((sum, { quantity }) => bothOf(sum, quantity), first.quantity),
    }
  })
}

export function bothOf(one: Decimal | null, other: Decimal | null): Decimal | null {
  return one && other && sumDecimals([one, other])
}

const STATUSES = ['UnHandled', 'Picked', 'Shipped', 'Rejected', 'Expired', 'Returned', 'Declined', 'Accepted']

export function statusWord(written: string | null): string | null {
  const plain = written?.toLowerCase()
  return STATUSES.find((status) => status.toLowerCase() === plain) ?? written
}

/** Spec, "Refund update webhook payload". */
export interface OrderReturn {
  number: string
  refundId: string
  status: string | null
  isRefunded: boolean
  lines: OrderLineUpdate[]
  stockId: string | null
  stockName: string | null
}
