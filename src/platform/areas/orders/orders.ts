import { RetryLaterError } from '../../../domain/values/errors.ts'
import { field } from '../../../domain/values/field.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Client } from '../../http/client.ts'
import { joined, type Listed, type Unreadable } from '../../http/listed.ts'
import { orNone } from '../../http/or-none.ts'
import { isRecord, whole } from '../../http/read.ts'
import { readList } from '../../http/read-list.ts'
import { readListed } from '../../http/read-rows.ts'
import { sentId, sentText, unsendable } from '../../http/written.ts'
import { idIfShown } from '../../http/written-id.ts'
import { type NewOrder, orderBody } from './order-body.ts'
import { type PlatformOrder, readOrder } from './order-record.ts'

/** The most pages that are asked for: a platform that answers each question with other ids has no last one. */
const MOST_PAGES = 10_000

/** Pages in a row without anything new, after which no more will come. */
const MOST_BARREN = 3

/** The store of an order. One platform names it by the store, the other by its stock: each takes the id that it knows. */
interface OrderStore {
  storeId: string
  stockId: string
  signal?: AbortSignal | undefined
}

/** Online orders that stores carry out (spec, "Omnichannel"). No error holds personal data. */
export interface Orders {
  /**
   * POST /api/Omnichannel; gives the platform's id of the order. An id of 0 or below is a PermanentError `refused`. Where the
   * answer is documented, one without an id is an UnknownOutcomeError `no-id`; where it is not (spec), a success is one, and
   * without an id gives null.
   */
  create(order: NewOrder, store: OrderStore): Promise<string | null>
  /** GET /api/Omnichannel?orderNo=. Not in the spec. Null where there is none: an empty answer, or 404. */
  read(orderNo: string, store?: Partial<OrderStore>): Promise<PlatformOrder | null>
  /** PUT /api/Omnichannel. Not in the spec. The whole order in place of what is there, with the status that it is to have. */
  update(order: NewOrder & { status: string }, store: OrderStore): Promise<void>
  /** DELETE /api/Omnichannel?orderNo=. Not in the spec. It disappears from the tills; one that is not there is an error. */
  delete(orderNo: string, store?: Partial<OrderStore>): Promise<void>
  /** GET /api/Omnichannel/orders, all pages. Not in the spec. See listOrders for where they end. */
  list(query: OrderQuery, signal?: AbortSignal): AsyncGenerator<PlatformOrder, Unreadable[], undefined>
}

/** The omnichannel area of a client. What cannot be sent is a PermanentError that names the field, before anything is sent. */
export function createOrders(client: Client): Orders {
  return {
    async create(order, store) {
      const endpoint = client.endpoint('orders.create')
      const call = { body: orderBody(order, 'orders.create', endpoint) }
      const answer = await client.write('orders.create', { ...call, ...checkedStore(store, 'orders.create') })
      return idIfShown(answer, 'orders.create', 'orderId', endpoint.known)
    },

    async read(orderNo, store = {}) {
      const query = { orderNo: sentText(orderNo, 'orders.read: the orderNo') }
      const found = client.read(
        'orders.read',
        { query, ...given(store) },
        (answer) => {
          const orders = readList(answer === '' ? null : answer, 'order', readOrder)
          return orders.find((order) => order.orderNo === query.orderNo) ?? orders[0] ?? null
        },
        (order) => order?.orderNo === query.orderNo,
      )
      return await orNone(found, null)
    },

    async update(order, store) {
      const call = { body: orderBody(order, 'orders.update', client.endpoint('orders.update')) }
      await client.write('orders.update', { ...call, ...checkedStore(store, 'orders.update') })
    },

    async delete(orderNo, store = {}) {
      const query = { orderNo: sentText(orderNo, 'orders.delete: the orderNo') }
      await client.write('orders.delete', { query, ...given(store) })
    },

    list: (query, signal) => listOrders(client, query, signal),
  }
}

function checkedStore({ storeId, stockId, signal }: OrderStore, where: string) {
  return {
    storeId: sentText(storeId, `${where}: the storeId`),
    stockId: sentText(stockId, `${where}: the stockId`),
    signal,
  }
}

function given({ storeId, stockId, signal }: Partial<OrderStore>) {
  return { ...(storeId !== undefined && { storeId }), ...(stockId !== undefined && { stockId }), signal }
}

/** The orders wanted. */
interface OrderQuery {
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
async function* listOrders(
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
