import { RetryLaterError } from '../../../domain/values/errors.ts'
import { field } from '../../../domain/values/field.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Client } from '../../http/client.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { isRecord, joined, type Listed, orNone, readList, readListed, type Unreadable, whole } from '../../http/read.ts'
import {
  given,
  idIfShown,
  type SentTime,
  sentCurrency,
  sentDecimal,
  sentDecimalText,
  sentId,
  sentText,
  sentTime,
  unsendable,
} from '../../http/written.ts'
import { type PlatformOrder, readOrder } from './order-record.ts'

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
        { query, ...callOf(store) },
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
      await client.write('orders.delete', { query, ...callOf(store) })
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

function callOf({ storeId, stockId, signal }: Partial<OrderStore>) {
  return { ...(storeId !== undefined && { storeId }), ...(stockId !== undefined && { stockId }), signal }
}

interface OrderQuery {
  /** Times, both included. Days are sent, and more on both sides, since the platform's zone is not known: others may come back. */
  from: Instant
  to: Instant
  stockId?: string | undefined
  orderType?: string | undefined
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

/** An address as it is sent. What is not given is not sent; null is. */
interface OrderAddress {
  firstName?: string | null | undefined
  lastName?: string | null | undefined
  companyName?: string | null | undefined
  address1?: string | null | undefined
  address2?: string | null | undefined
  city?: string | null | undefined
  province?: string | null | undefined
  postalCode?: string | null | undefined
  country?: string | null | undefined
  /** ISO 3166, two letters. */
  countryCode?: string | null | undefined
  comment?: string | null | undefined
}

/** An online order for a store (spec, "Omnichannel order"). What is not given is not sent. Decimals are text. */
export interface NewOrder {
  orderNo: string
  /** Whole hours from 1 for which the goods are kept. */
  reservationLengthInHours?: number | undefined
  customer: {
    firstName?: string | undefined
    lastName?: string | undefined
    email?: string | undefined
    /** The number without the country's prefix. */
    phone?: string | undefined
    phoneCountryCode?: string | undefined
    /** Not in the spec, as `taxId`. */
    companyName?: string | undefined
    taxId?: string | undefined
  }
  billingAddress?: OrderAddress | undefined
  /** The address that the store ships to. Without it, the customer fetches the goods in the store. */
  shippingAddress?: OrderAddress | undefined
  lines: readonly OrderLine[]
  /** The payments made online. Without any, the customer pays in the store. */
  payments?: readonly Payment[] | undefined
  receiptUrl?: string | undefined
  saleDateTime?: SentTime | undefined
  /** `UnHandled` if it does not say, as a new order is. */
  status?: string | undefined
  storeName?: string | undefined
  /** Not in the spec, as those below: `BOPIS`, `ROPIS` …; what the platform makes of an order without it is its own to say. */
  orderType?: string | undefined
  comment?: string | undefined
  /** Until when the store should have it ready. */
  dueDateTime?: SentTime | undefined
}

/** `price` is that of one, VAT included. What stands after the quantity is not in the spec. */
interface OrderLine {
  gtin: string
  price: string
  quantity: string
  /** The VAT of the line, as an amount. */
  vat?: string | undefined
  /** A fraction: 0.25 is 25 percent. */
  vatPercent?: string | undefined
  /** The price of one piece, before discount. */
  fullPrice?: string | undefined
  /** The discount as an amount, and as a fraction. */
  discount?: string | undefined
  discountPercent?: string | undefined
  /** The id that the shop knows the line by: updates of the order name it. */
  rowId?: string | undefined
  externalSKU?: string | undefined
  sizeText?: string | undefined
  receiptLabel?: string | undefined
}

interface Payment {
  amount: string
  currency: string
  type: string
  /** Not in the spec, as those below: the reference of the payment at whoever took it. */
  txRef?: string | undefined
  subType?: string | undefined
  text?: string | undefined
}

/** The body of an order as this endpoint wants it. Throws a PermanentError that names the field, and shows no personal data. */
function orderBody(order: NewOrder, call: string, { decimals, address }: Endpoint) {
  const { billingAddress, customer, lines, payments = [], reservationLengthInHours: hours } = order
  if (lines.length === 0) throw unsendable(`${call}:`, 'an order needs lines.')
  if (hours !== undefined && !(Number.isSafeInteger(hours) && hours > 0))
    throw unsendable(`${call}:`, 'reservationLengthInHours must be a whole number from 1.')
  const written = decimals === 'number' ? sentDecimal : sentDecimalText
  const withCustomer = address === 'customer'
  const sentPayment = ({ amount, currency, type, txRef, subType, text }: Payment, index: number) => ({
    amount: written(amount, `${call}: payment ${index + 1}: the amount`),
    currency: sentCurrency(currency, `${call}: payment ${index + 1}: the currency`),
    type: sentText(type, `${call}: payment ${index + 1}: the type`),
    ...given({ txRef, subType, text }),
  })
  return {
    orderNo: sentText(order.orderNo, `${call}: the orderNo`),
    status: order.status ?? 'UnHandled',
    customer: given({
      firstName: customer.firstName,
      lastName: customer.lastName,
      email: customer.email,
      phone: customer.phone,
      phoneCountryCode: customer.phoneCountryCode,
      companyName: customer.companyName,
      taxId: customer.taxId,
      address: withCustomer ? sentAddress(billingAddress) : undefined,
    }),
    orderLines: lines.map((line, index) => sentLine(line, `${call}: line ${index + 1}`, written)),
    ...given({
      reservationLengthInHours: hours,
      billingAddress: withCustomer ? undefined : sentAddress(billingAddress),
      shippingAddress: sentAddress(order.shippingAddress),
      paymentLines: payments.length === 0 ? undefined : payments.map(sentPayment),
      receiptUrl: order.receiptUrl,
      saleDateTime: sentTime(order.saleDateTime, `${call}: saleDateTime`),
      store: order.storeName === undefined ? undefined : { storeName: order.storeName },
      orderType: order.orderType,
      comment: order.comment,
      dueDateTime: sentTime(order.dueDateTime, `${call}: dueDateTime`),
    }),
  }
}

const AMOUNTS = ['vat', 'vatPercent', 'fullPrice', 'discount', 'discountPercent'] as const

function sentLine(line: OrderLine, where: string, written: (decimal: string, where: string) => number | string) {
  const amounts = AMOUNTS.flatMap((name) => {
    const amount = line[name]
    return amount === undefined ? [] : [[name, written(amount, `${where}: the ${name}`)]]
  })
  const { rowId, externalSKU, sizeText, receiptLabel } = line
  return {
    gtin: sentText(line.gtin, `${where}: the gtin`),
    price: written(line.price, `${where}: the price`),
    quantity: written(line.quantity, `${where}: the quantity`),
    ...Object.fromEntries(amounts),
    ...given({ rowId, externalSKU, sizeText, receiptLabel }),
  }
}

/** An address with nothing in it would still be one, and make a pickup order one that is shipped. */
function sentAddress(address: OrderAddress | undefined): OrderAddress | undefined {
  if (address === undefined) return undefined
  const sent = given({
    firstName: address.firstName,
    lastName: address.lastName,
    companyName: address.companyName,
    address1: address.address1,
    address2: address.address2,
    city: address.city,
    province: address.province,
    postalCode: address.postalCode,
    country: address.country,
    countryCode: address.countryCode,
    comment: address.comment,
  })
  return Object.values(sent).some((value) => value?.trim()) ? sent : undefined
}
