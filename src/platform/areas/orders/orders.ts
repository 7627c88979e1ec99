import type { Client } from '../../http/client.ts'
import type { Unreadable } from '../../http/listed.ts'
import { orNone } from '../../http/or-none.ts'
import { readList } from '../../http/read-list.ts'
import { sentText } from '../../http/written.ts'
import { idIfShown } from '../../http/written-id.ts'
import { type NewOrder, orderBody } from './order-body.ts'
import { listOrders, type OrderQuery } from './order-list.ts'
import { type PlatformOrder, readOrder } from './order-record.ts'

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
