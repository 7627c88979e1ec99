import { request } from 'undici'
import { type Shop, type ShopOptions, type ShopOrder, startShop } from '../../../sandbox/shop/shop.ts'
import type { AdapterInstance } from '../../../src/adapters/adapter.ts'
import woocommerce from '../../../src/adapters/woocommerce/woocommerce.ts'
import { type PosOrder, posOrder } from '../../../src/domain/orders/order.ts'
import { money } from '../../../src/domain/values/money.ts'
import { readSale } from '../../../src/platform/payloads/sale.ts'
import type { Attempt, Effect } from '../../../src/ports/attempt.ts'
import type { OrdersCall, OrdersPort } from '../../../src/ports/ports.ts'
import { endlessAisle, type Given, saleLine } from '../../fixtures/payloads.ts'
import { attempt } from '../contract.ts'

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

/** The adapter, and a shop that talks to it. `written`: more options of the adapter. */
export async function startWithShop(
  options: Partial<ShopOptions> = {},
  { timeout = 5_000, ...written }: Given & { timeout?: number } = {},
): Promise<WithShop> {
  const shop = await startShop({ ...KEY, products: PRODUCTS, ...options })
  const context = { destination: 'shop', timeout, concurrency: 2 }
  const instance = woocommerce.create(woocommerce.options.parse({ url: shop.url, ...KEY, ...written }), context)
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
