import { RetryLaterError } from '../../../domain/values/errors.ts'
import { field } from '../../../domain/values/field.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Client } from '../../http/client.ts'
import { joined, type Listed, type Unreadable } from '../../http/listed.ts'
import { isRecord, whole } from '../../http/read.ts'
import { readListed } from '../../http/read-rows.ts'
import { sentId, unsendable } from '../../http/written.ts'
import { type PlatformOrder, readOrder } from './order-record.ts'

/** The orders wanted. */
export interface OrderQuery {
  /** Times, both included. Days are sent, and more on both sides, since the platform's zone is not known: others may come back. */
  from: Instant
  to: Instant
  /** Only those of the store with this stock. */
  stockId?: string | undefined
  /** `BOPIS`, `BOSS`, `ROPIS` … as the platform names them. */
  orderType?: string | undefined
  /** Orders of one page; 100 if it does not say. */
  pageSize?: number | undefined
}

/**
 * The orders of a query, each once, page by page; their ids are kept in memory. A short page need not be the last one, and
 * that `item2` counts all orders is presumed only: so pages are asked for until one has nothing new and they went as far as
 * `item2` says, or until three in a row have nothing new. Where fewer came than it counts, such three are a RetryLaterError `incomplete`: never half in
 * silence. Rows that cannot be read are counted, and given back at the end.
 */
export async function* listOrders(
  client: Client,
  { from, to, stockId, orderType, pageSize = 100 }: OrderQuery,
  signal: AbortSignal | undefined,
): AsyncGenerator<PlatformOrder, Unreadable[], undefined> {
  if (!Number.isSafeInteger(pageSize) || pageSize < 1)
    throw unsendable('orders.list: the pageSize', 'must be a whole number from 1.')
  const stock = stockId === undefined ? undefined : String(sentId(stockId, 'orders.list: the stockId'))
  const seen = new Set<string>()
  let aside: Unreadable[] = []
  const come = () => seen.size + aside.length
  let barren = 0
  for (let pageNumber = 1; ; pageNumber++) {
    if (pageNumber > MOST_PAGES) throw endless(come())
    const query = { from, to, stockId: stock, orderType, pageNumber, pageSize }
    const page = await client.read('orders.list', { query, signal }, readPage)
    const { total } = page
    const before = come()
    aside = joined(aside, page.aside)
    for (const order of page.rows) {
      const id = order.orderId ?? `number ${order.orderNo}`
      if (seen.has(id)) continue
      seen.add(id)
      if (isWanted(order, stock, orderType)) yield order
    }
    barren = come() > before ? 0 : barren + 1
    // Pages may be short or empty in the middle, but not one after the other.
    if (barren === 0 || (barren < MOST_BARREN && pageNumber * pageSize < total)) continue
    if (come() >= total) {
      client.aside('orders.list', stock === undefined ? '' : `stock ${stock}`, aside)
      return aside
    }
    if (barren < MOST_BARREN) continue
    throw new RetryLaterError(
      `platform: orders.list found ${come()} orders, but the platform counts ${total}. List again later, or with a smaller pageSize.`,
      { code: 'incomplete' },
    )
  }
}

/** The most pages that are asked for: a platform that answers each question with other ids has no last one. */
const MOST_PAGES = 10_000

/** Pages in a row without anything new, after which no more will come. */
const MOST_BARREN = 3

function endless(found: number): RetryLaterError {
  const message = `platform: orders.list has found ${found} orders on ${MOST_PAGES} pages, and each has others: this list does not end.`
  return new RetryLaterError(message, { code: 'endless' })
}

/**
 * `{ item1: orders, item2: how many in all }`, or the orders as `value`; a list alone is a page whose total nobody tells. Anything else must be an order: what
 * says that it failed is no page without orders.
 */
function readPage(answer: unknown): Listed<PlatformOrder> & { total: number } {
  const isPage = isRecord(answer) && ['item1', 'item2'].some((name) => field(answer, name) !== undefined)
  const page = isPage ? answer : { item1: answer, item2: null }
  const rows = field(page, 'value') ?? field(page, 'item1')
  return { ...readListed(rows, 'order', readOrder), total: whole(page, 'item2') ?? 0 }
}

/** A parameter that the platform does not know is ignored by it in silence. What does not tell is left in. */
function isWanted({ fulfillment, type }: PlatformOrder, stockId: string | undefined, orderType: string | undefined) {
  const stock = fulfillment?.stockId ?? null
  const isOfStock = stockId === undefined || stock === null || stock === stockId
  // A type as a number cannot be compared: which number is which is not known.
  const isOfType = orderType === undefined || type === null || /^\d+$/.test(type) || type === orderType
  return isOfStock && isOfType
}
