import { statusWord } from '../../domain/orders/order-update.ts'
import { idText, text } from '../../domain/values/field.ts'
import { type Client, queryList } from '../http/client.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { decimal, type Listed, orNone, readList, type WireRecord } from '../http/read.ts'
import {
  asIs,
  body,
  capitals,
  each,
  eachOrNone,
  first,
  idIfShown,
  itself,
  must,
  named,
  optional,
  part,
  rows,
  rowsIfTold,
  sentCurrency,
  sentDecimal,
  sentDecimalText,
  sentId,
  sentText,
  sentTime,
  shape,
  unsendable,
} from '../http/shape.ts'

const status = (record: unknown, name: string) => statusWord(text(record, name))

const ADDRESS = {
  ...{ firstName: text, lastName: text, companyName: text, address1: text, address2: text, city: text },
  ...{ province: text, postalCode: text, country: text, countryCode: capitals, comment: text },
}

export const orderShape = shape({
  orderId: idText,
  orderNo: idText,
  type: first(text, 'orderType'),
  status,
  lines: rows('line', 'orderLines', shape({ rowId: idText, gtin: text, price: decimal, quantity: decimal, status })),
  store: part('store', shape({ name: first(text, 'storeName') })),
  fulfillment: part(
    'fulfillmentLocation',
    shape({ stockId: idText, stockName: text, shipments: rowsIfTold('shipment', 'shipments', shape({ id: idText })) }),
  ),
  customer: part(
    'customer',
    shape({
      ...{ firstName: text, lastName: text, email: text, phone: text },
      phoneCountryPrefix: first(text, 'phoneCountryPrefix', 'phoneCountryCode'),
    }),
  ),
  shippingAddress: part('shippingAddress', shape(ADDRESS)),
  record: itself,
})

export type PlatformOrder = ReturnType<typeof orderShape>

function readOrder(record: WireRecord): PlatformOrder {
  must(idText, 'orderNo', 'orderId')(record)
  const order = orderShape(record)
  const isThere = Object.values(order.shippingAddress ?? {}).some((value) => value !== null)
  return { ...order, shippingAddress: isThere ? order.shippingAddress : null }
}

interface OrderStore {
  storeId: string
  stockId: string
  signal?: AbortSignal | undefined
}

/** Spec, "Omnichannel". */
export function createOrders(client: Client) {
  return {
    /** Gives the platform's id; see `idIfShown`. */
    async create(order: NewOrder, store: OrderStore): Promise<string | null> {
      const endpoint = client.endpoint('orders.create')
      const call = { body: orderBody(order, 'orders.create', endpoint), ...checkedStore(store, 'orders.create') }
      return idIfShown(await client.write('orders.create', call), 'orders.create', 'orderId', endpoint.known)
    },

    async read(orderNo: string, store: Partial<OrderStore> = {}): Promise<PlatformOrder | null> {
      const query = { orderNo: sentText(orderNo, 'orders.read: the orderNo') }
      const found = client.read(
        'orders.read',
        { query, ...store },
        (answer) => {
          const orders = readList(answer === '' ? null : answer, 'order', readOrder)
          return orders.find((order) => order.orderNo === query.orderNo) ?? orders[0] ?? null
        },
        (order) => order?.orderNo === query.orderNo,
      )
      return await orNone(found, null)
    },

    async update(order: NewOrder & { status: string }, store: OrderStore): Promise<void> {
      const call = { body: orderBody(order, 'orders.update', client.endpoint('orders.update')) }
      await client.write('orders.update', { ...call, ...checkedStore(store, 'orders.update') })
    },

    async delete(orderNo: string, store: Partial<OrderStore> = {}): Promise<void> {
      const query = { orderNo: sentText(orderNo, 'orders.delete: the orderNo') }
      await client.write('orders.delete', { query, ...store })
    },
  }
}

function checkedStore({ storeId, stockId, signal }: OrderStore, where: string) {
  return {
    storeId: sentText(storeId, `${where}: the storeId`),
    stockId: sentText(stockId, `${where}: the stockId`),
    signal,
  }
}

const TEXT = asIs<string>()

const ANY_TEXT = asIs<string | null>()

const writeAddress = body({
  ...{ firstName: ANY_TEXT, lastName: ANY_TEXT, companyName: ANY_TEXT, address1: ANY_TEXT, address2: ANY_TEXT },
  ...{ city: ANY_TEXT, province: ANY_TEXT, postalCode: ANY_TEXT, country: ANY_TEXT, countryCode: ANY_TEXT },
  comment: ANY_TEXT,
})

/** An empty address would turn a pickup order into a shipment. */
const address = Object.assign(
  (given: Parameters<typeof writeAddress>[0] | undefined) => {
    const sent = given && writeAddress(given, '')
    return Object.values(sent ?? {}).some((value) => value?.trim()) ? sent : undefined
  },
  { fields: writeAddress.fields },
)

const writeOrder = (decimals: Endpoint['decimals']) => {
  const amount = decimals === 'number' ? sentDecimal : sentDecimalText
  return body({
    orderNo: sentText,
    status: (value: string | undefined) => value ?? 'UnHandled',
    customer: body({
      ...{ firstName: TEXT, lastName: TEXT, email: TEXT, phone: TEXT, phoneCountryCode: TEXT },
      // Not in the spec.
      ...{ companyName: TEXT, taxId: TEXT },
    }),
    lines: named(
      'orderLines',
      each(
        'line',
        body({
          gtin: sentText,
          price: amount,
          quantity: amount,
          // Amounts; fractions; of one piece before discount.
          ...{ vat: optional(amount), vatPercent: optional(amount), fullPrice: optional(amount) },
          ...{ discount: optional(amount), discountPercent: optional(amount) },
          ...{ rowId: TEXT, externalSKU: TEXT, sizeText: TEXT, receiptLabel: TEXT },
        }),
      ),
    ),
    reservationLengthInHours: optional(sentHours),
    billingAddress: address,
    shippingAddress: address,
    payments: named(
      'paymentLines',
      eachOrNone(
        'payment',
        body({ amount, currency: sentCurrency, type: sentText, txRef: TEXT, subType: TEXT, text: TEXT }),
      ),
    ),
    receiptUrl: TEXT,
    saleDateTime: optional(sentTime),
    storeName: Object.assign((storeName: string | undefined) => (storeName === undefined ? undefined : { storeName }), {
      wire: 'store',
      fields: ['storeName'],
    }),
    orderType: TEXT,
    comment: TEXT,
    dueDateTime: optional(sentTime),
  })
}

/** Spec, "Omnichannel order". Decimals are text. */
export type NewOrder = Parameters<ReturnType<typeof writeOrder>>[0]

export const ORDER_FIELDS = [...writeOrder('text').fields, 'address']

function orderBody(order: NewOrder, call: string, { decimals, address }: Endpoint): object {
  const { billingAddress, paymentLines, ...sent } = writeOrder(decimals)(order, call)
  const paid = paymentLines?.length > 0 && { paymentLines }
  if (billingAddress === undefined) return { ...sent, ...paid }
  if (address !== 'customer') return { ...sent, ...paid, billingAddress }
  return { ...sent, ...paid, customer: { ...sent.customer, address: billingAddress } }
}

function sentHours(hours: number, at: string): number {
  if (Number.isSafeInteger(hours) && hours > 0) return hours
  throw unsendable(at, 'must be a whole number from 1.')
}

export const reservationShape = shape({
  id: must(idText, 'id', 'reservationGuid', 'stockreservationId'),
  stockId: idText,
  extId: idText,
  gtin: text,
  quantity: first(decimal, 'quantity', 'qty'),
})

export type Reservation = ReturnType<typeof reservationShape>

export const writeReservation = body({
  stockId: sentId,
  extId: sentText,
  hours: named('reservationLengthInHours', optional(sentHours)),
  lines: named('items', each('line', body({ gtin: sentText, quantity: named('qty', sentDecimal) }))),
})

export const writeReservationChange = body({
  hours: named('reservationLengthInHours', optional(sentHours)),
  quantity: named('qty', optional(sentDecimal)),
})

/** Reservations reduce what can be sold, not the level. */
export function createReservations(client: Client) {
  return {
    /** Not repeatable: list those of the stock before sending again. */
    async create(reservation: Parameters<typeof writeReservation>[0], signal?: AbortSignal): Promise<void> {
      await client.write('reservations.create', { body: writeReservation(reservation, 'reservations.create'), signal })
    },

    async list(stockId: string, signal?: AbortSignal): Promise<Listed<Reservation>> {
      const id = String(sentId(stockId, 'reservations.list: the stockId'))
      return await queryList(client, 'reservations.list', {
        call: { stockId: id, signal },
        about: `stock ${id}`,
        what: 'reservation',
        read: reservationShape,
        isAsked: (record) => (idText(record, 'stockId') ?? id) === id,
      })
    },

    async change(id: string, to: Parameters<typeof writeReservationChange>[0], signal?: AbortSignal): Promise<void> {
      const path = { reservationId: sentText(id, 'reservations.change: the id') }
      const body = writeReservationChange(to, 'reservations.change')
      await client.write('reservations.change', { path, body, signal })
    },

    async release(id: string, signal?: AbortSignal): Promise<void> {
      const path = { reservationId: sentText(id, 'reservations.release: the id') }
      await client.write('reservations.release', { path, signal })
    },
  }
}
