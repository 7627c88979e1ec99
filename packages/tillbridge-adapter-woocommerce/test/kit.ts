import type { IncomingMessage } from 'node:http'
import { request } from 'undici'
import { type Shop, type ShopOptions, type ShopOrder, startShop } from '../../../sandbox/shop/shop.ts'
import type { AdapterInstance } from '../../../src/adapters/adapter.ts'
import { type PosOrder, posOrder } from '../../../src/domain/orders/order.ts'
import type { OrderLineUpdate, OrderUpdate } from '../../../src/domain/orders/order-update.ts'
import { money, parseDecimal } from '../../../src/domain/values/money.ts'
import { readSale } from '../../../src/platform/payloads/sale.ts'
import type {
  Attempt,
  DeclinedGoods,
  Effect,
  Intake,
  IntakeItem,
  IntakeRequest,
  OrdersCall,
  OrdersPort,
  Ports,
  ReturnedGoods,
} from '../../../src/ports/ports.ts'
import { attempt } from '../../../test/adapters/contract.ts'
import { eventually } from '../../../test/eventually.ts'
import { endlessAisle, type Given, saleLine } from '../../../test/fixtures/payloads.ts'
import { listen } from '../../../test/listen.ts'
import woocommerce from '../src/woocommerce.ts'

export const KEY = { consumerKey: 'ck_of_the_tests', consumerSecret: 'cs_of_the_tests' }

/** Prices with 25 % VAT within, as in Norway. */
export const VAT = { pricesIncludeTax: true, country: 'NO', rates: [{ name: 'MVA', percent: '25' }] }

export const PRODUCTS = [
  { id: 11, name: 'T-shirt', sku: 'TEE-BLK-M', globalUniqueId: '7090012340011', price: '349', stock: 5 },
  { id: 12, name: 'Cap', sku: '7090012340028', price: '199' },
  {
    id: 20,
    name: 'Jacket',
    sku: 'JACKET',
    price: '1200',
    variations: [{ id: 21, name: 'L', sku: 'JACKET-L', globalUniqueId: '7090012340035' }],
  },
]

/** One of the first product, and where it is fetched. */
export const SHIRT = { sku: 'TEE-BLK-M' }
export const AT_OSLO = { method: 'pickup_location', location: 'Oslo City' } as const

/** An order of the POS, as the flow hands it over; `lines` in place of the T-shirt for 349 NOK. */
export function orderOf(lines: Given[] = [{}], given: Given = {}): PosOrder {
  const orderLines = lines.map((line) => saleLine({ shipFromOnlineStore: true, ...line }))
  const sale = endlessAisle({ orderLines, ...given })
  // Who gives a total has paid it.
  const paid = sale.paymentLines.map((line) => ({ ...line, amount: sale.total }))
  return posOrder(readSale({ ...sale, paymentLines: 'paymentLines' in given ? sale.paymentLines : paid }))
}

export interface WithShop extends AsyncDisposable {
  shop: Shop
  instance: AdapterInstance
  orders: Required<OrdersPort>
  create(order?: PosOrder, given?: Partial<Attempt>): Promise<Effect>
  /** Looks for the order that `create` was to make, or for the effect of another call. */
  find(given?: Partial<Attempt>, call?: OrdersCall): Promise<Effect | null>
  order(): ShopOrder
}

export function adapterAt(url: string, written: Given = {}): AdapterInstance {
  const options = woocommerce.options.parse({ url, ...KEY, ...written })
  return woocommerce.create(options, { destination: 'shop', timeout: 5_000, concurrency: 2 })
}

/** The adapter, and a shop that talks to it. `written`: more options of the adapter. */
export async function startWithShop(options: Partial<ShopOptions> = {}, written: Given = {}): Promise<WithShop> {
  const shop = await startShop({ ...KEY, products: PRODUCTS, ...options })
  const instance = adapterAt(shop.url, written)
  const orders = instance.ports.orders as Required<OrdersPort>
  return {
    shop,
    instance,
    orders,
    create: (order = orderOf(), given = {}) => orders.create(order, attempt(given)),
    find: (given = {}, call = { port: 'orders', method: 'create', argument: orderOf() }) =>
      orders.find(attempt(given), call) as Promise<Effect | null>,
    order() {
      const [order, ...others] = shop.orders()
      if (!order || others.length > 0) throw new Error(`The shop has ${others.length + (order ? 1 : 0)} orders.`)
      return order
    },
    async [Symbol.asyncDispose]() {
      await instance[Symbol.asyncDispose]()
      await shop[Symbol.asyncDispose]()
    },
  }
}

/** The shop's API as another program uses it; the path begins after `/wp-json/wc/v3`. */
export async function askShop(
  shop: Shop,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
): Promise<unknown> {
  const { consumerKey, consumerSecret } = KEY
  const answer = await request(`${shop.url}/wp-json/wc/v3${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64')}`,
      'content-type': 'application/json',
      connection: 'close',
    },
    body: body ? JSON.stringify(body) : null,
  })
  const text = await answer.body.text()
  if (answer.statusCode >= 300) throw new Error(`${method} ${path} was answered ${answer.statusCode}: ${text}`)
  return JSON.parse(text)
}

/** An order of nothing: nothing is looked up and nothing is left to pay, so one request makes it. */
export function emptyOrder(): PosOrder {
  const order = orderOf()
  return { ...order, lines: [], total: money(0, order.total.currency) }
}

export const GTIN = '7090012340011'

/** A shirt for 100.00 with VAT, a cap for 33.33, and socks that nobody counts, for 0.05. */
const ORDERED = [
  { id: 11, name: 'T-shirt', sku: 'TEE', globalUniqueId: GTIN, price: '100', stock: 20 },
  { id: 12, name: 'Cap', sku: '7090012340028', price: '33.33', stock: 20 },
  { id: 13, name: 'Socks', sku: 'SOCKS', globalUniqueId: '7090012340042', price: '0.05' },
]

/** An order that a customer placed in the shop itself: three shirts, paid by card. */
const PLACED = {
  payment_method: 'sandbox_card',
  set_paid: true,
  billing: { first_name: 'Ada', email: 'ada@example.com', country: 'NO' },
  line_items: [{ product_id: 11, quantity: 3 }],
}

export interface WithOrder extends WithShop {
  number: string
  /** A kill at any point: what the worker does next with a delivery whose outcome is not known. */
  lookOrDo(call: OrdersCall): Promise<'found' | 'done'>
}

/** The adapter, a shop with VAT, and an order of its own in it. */
export async function startWithOrder(
  body: object = {},
  written: Parameters<typeof startWithShop>[1] = {},
): Promise<WithOrder> {
  const it = await startWithShop({ products: ORDERED, taxes: VAT }, written)
  const number = await place(it.shop, body)
  return {
    ...it,
    number,
    async lookOrDo(call) {
      if (await it.find(again(), call)) return 'found'
      await act(it, call, again())
      return 'done'
    },
  }
}

export async function place(shop: Shop, body: object = {}): Promise<string> {
  const { number } = (await askShop(shop, 'POST', '/orders', { ...PLACED, ...body })) as { number: string }
  return number
}

export function act({ orders }: Pick<WithShop, 'orders'>, call: OrdersCall, given: Partial<Attempt> = {}) {
  const method = orders[call.method as keyof typeof orders] as (argument: unknown, attempt: Attempt) => Promise<unknown>
  return method(call.argument, attempt({ key: KEY_OF_EFFECT, ...given }))
}

const KEY_OF_EFFECT = 'OmniChannelOrderUpdated:1:f:p'

/** The next try, after one that may have had its effect. */
export function again(): Partial<Attempt> {
  return { key: KEY_OF_EFFECT, previous: 'open', firstTriedAt: Date.now() - 1_000 }
}

export function updateOf(number: string, given: Partial<OrderUpdate> = {}): OrderUpdate {
  const order = { number, platformId: null, status: 'Picked', shipments: null, lines: [], stockId: '1' }
  return { ...order, stockName: 'Oslo City', ...given }
}

export function lineOf(given: Partial<OrderLineUpdate> = {}): OrderLineUpdate {
  const rowId = given.rowId ?? null
  const gtin = given.gtin === undefined ? GTIN : given.gtin
  return { key: rowId ?? gtin ?? 'line-1', quantity: null, status: null, ...given, rowId, gtin }
}

function returned(number: string, quantity = 1, line = lineOf(), refundId = 'R-1'): ReturnedGoods {
  const refund = { number, refundId, status: 'Returned', isRefunded: false, stockId: '1', stockName: 'Oslo City' }
  return { refund: { ...refund, lines: [line] }, line, quantity: parseDecimal(quantity) }
}

function declined(number: string, quantity = 1, line = lineOf()): DeclinedGoods {
  return { order: updateOf(number), line, quantity: parseDecimal(quantity) }
}

export const SECRET = 'secret of the webhooks'

export interface ConnectedShop extends WithShop {
  ports: Required<Pick<Ports, 'orders' | 'customers' | 'stock'>>
  intake: Intake
  /** Webhooks as they came over the wire, oldest first. */
  came: IntakeRequest[]
  /** What the adapter makes of all webhooks that the shop sent, once all have come; each state once, as the hub counts. */
  handedOver(): Promise<IntakeItem[]>
}

/** A shop that sends webhooks, somebody who takes them, and the adapter. */
export async function startConnected(
  options: Record<string, unknown> = {},
  shopOptions: Partial<ShopOptions> = {},
): Promise<ConnectedShop> {
  const came: IntakeRequest[] = []
  const server = await listen(async (request, response) => {
    came.push(await requestOf(request))
    response.end()
  })
  const webhook = { url: `${server.url}/intake/shop`, secret: SECRET }
  const it = await startWithShop({ webhook, ...shopOptions }, { webhookSecret: SECRET, ...options })
  const { orders, customers, stock } = it.instance.ports
  if (!orders || !customers || !stock) throw new Error('The adapter lacks a port.')
  const intake = it.instance.intake ?? {}
  return {
    ...it,
    ports: { orders, customers, stock },
    intake,
    came,
    async handedOver() {
      await eventually(() => it.shop.webhooksSettled())
      const read = await Promise.all(
        came.map(async (one) => (intake.verify?.(one) && (await intake.read?.(one))) || []),
      )
      return distinct(read.flat())
    },
    async [Symbol.asyncDispose]() {
      await it[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** A state is named by its key and what it says; of several alike, the first counts. */
function distinct(items: readonly IntakeItem[]): IntakeItem[] {
  const seen = new Set<string>()
  return items.filter(({ resource, key, place, value }) => {
    const name = JSON.stringify([resource, key, place, value])
    return !seen.has(name) && seen.add(name)
  })
}

async function requestOf(request: IncomingMessage): Promise<IntakeRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
  return { headers: Object.fromEntries(headers), query: {}, body: Buffer.concat(chunks) }
}

/** What stores do with an order, as the hub tells the shop. */
export const callOf = {
  ready: (number: string): OrdersCall => ({ port: 'orders', method: 'ready', argument: updateOf(number) }),
  collected: (number: string): OrdersCall => ({ port: 'orders', method: 'collected', argument: updateOf(number) }),
  expire: (number: string): OrdersCall => ({ port: 'orders', method: 'expire', argument: { number, lines: [] } }),
  ship(number: string, id: string, pieces: number): OrdersCall {
    const parcel = { id, items: [{ gtin: GTIN, quantity: parseDecimal(pieces) }] }
    return { port: 'orders', method: 'ship', argument: { order: updateOf(number, { shipments: [parcel] }), parcel } }
  },
  decline: (...goods: Parameters<typeof declined>): OrdersCall => ({
    port: 'orders',
    method: 'decline',
    argument: declined(...goods),
  }),
  /** The shop is to pay. */
  refund: (...goods: Parameters<typeof returned>): OrdersCall => ({
    port: 'orders',
    method: 'refund',
    argument: returned(...goods),
  }),
  /** The POS has paid. */
  noteRefund: (...goods: Parameters<typeof returned>): OrdersCall => ({
    port: 'orders',
    method: 'noteRefund',
    argument: returned(...goods),
  }),
}
