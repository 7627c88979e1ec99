import type { Instant } from '../../domain/values/instant.ts'
import type { MadeKind } from './examples.ts'
import { varied } from './varied.ts'

/** A day that nobody has recorded. */
export interface MadeOf {
  /** The day's midnight, by the clock that its times are written in. */
  midnight: Instant
  /** The day, `yyyy-mm-dd`. */
  day: string
  sales: number
  /** Stores by number, with the id of their stock. */
  stores: readonly { number: string; stockId: string }[]
  /** The payload of each kind that the day's are made of. */
  shapes: Readonly<Record<MadeKind, unknown>>
}

/** A webhook of it: `sale` is the sale that it belongs to, by its place in the day. */
export interface MadeWebhook {
  at: Instant
  kind: MadeKind
  sale: number
  status: string | null
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** From nine in the morning on, how much of a day's sales each hour has, in hundredths: most after work. A guess of a busy day. */
const OPENS = 9
const HOURS = [3, 5, 7, 9, 10, 10, 11, 13, 14, 10, 5, 3]

/** Every so many sales, an order of the online shop is picked and sent by a store. A guess. */
const ORDER_EVERY = 10

/** Every so many customers want their receipt by e-mail. A guess. */
const RECEIPT_EVERY = 4

const STATUSES = [
  ['UnHandled', 0],
  ['Picked', 20 * MINUTE],
  ['Shipped', 60 * MINUTE],
] as const

const ARTICLES = 1_000

/**
 * The webhooks of a made day in the order of their times: of each sale one, and a movement of goods; now and then a receipt to
 * send, and an order.
 */
export function madeWebhooks({ sales, midnight }: Pick<MadeOf, 'sales' | 'midnight'>): MadeWebhook[] {
  const made: MadeWebhook[] = []
  for (let sale = 0; sale < sales; sale += 1) {
    const at = midnight + timeOf((sale + 0.5) / sales)
    made.push({ at, kind: 'SaleCreated', sale, status: null })
    made.push({ at: at + SECOND, kind: 'StockMovementCreated', sale, status: null })
    if (sale % RECEIPT_EVERY === 0)
      made.push({ at: at + 2 * SECOND, kind: 'OmniChannelSendReceiptCreated', sale, status: null })
    if (sale % ORDER_EVERY === 0)
      for (const [status, later] of STATUSES)
        made.push({ at: at + later, kind: 'OmniChannelOrderUpdated', sale, status })
  }
  return made.sort((a, b) => a.at - b.at)
}

/** When this part of the day's sales has been made (milliseconds after midnight). */
function timeOf(part: number): number {
  let left = part * HOURS.reduce((sum, weight) => sum + weight, 0)
  for (const [index, weight] of HOURS.entries()) {
    if (left < weight) return (OPENS + index + left / weight) * HOUR
    left -= weight
  }
  return (OPENS + HOURS.length) * HOUR
}

/** The payload of a webhook of it: the shape of its kind, and what tells it from the others. */
export function madePayload(
  { day, stores, shapes, midnight }: MadeOf,
  { at, kind, sale, status }: MadeWebhook,
): unknown {
  const store = stores[sale % stores.length] ?? { number: '101', stockId: '101' }
  const time = timeText(day, at - midnight)
  switch (kind) {
    case 'SaleCreated':
      return varied(shapes[kind], {
        receiptNo: String(100_000 + sale),
        createdDateTime: time,
        'store.storeExtId': store.number,
      })
    case 'StockMovementCreated':
      return varied(shapes[kind], {
        movementId: 900_000_000 + sale,
        createdDateTime: time,
        stockId: /^\d+$/.test(store.stockId) ? Number(store.stockId) : store.stockId,
        stockExtId: store.number,
        gtin: String(7_090_000_000_000 + (sale % ARTICLES)),
      })
    case 'OmniChannelSendReceiptCreated':
      return varied(shapes[kind], {
        'sendReceipt.receiptNo': String(100_000 + sale),
        'sendReceipt.createdDateTime': timeText(day, at - midnight - 2 * SECOND),
        'sendReceipt.store.storeExtId': store.number,
      })
    case 'OmniChannelOrderUpdated':
      return varied(shapes[kind], {
        'order.orderNo': `R${sale}`,
        'order.id': `00000000-0000-4000-8000-${String(sale).padStart(12, '0')}`,
        'order.status': status,
      })
  }
}

function timeText(day: string, sinceMidnight: number): string {
  return `${day}T${new Date(sinceMidnight).toISOString().slice(11, 19)}`
}
