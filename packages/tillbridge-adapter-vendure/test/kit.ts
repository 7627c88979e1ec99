import type { AdapterInstance } from '../../../src/adapters/adapter.ts'
import { type PosOrder, posOrder } from '../../../src/domain/orders/order.ts'
import type { OrderUpdate } from '../../../src/domain/orders/order-update.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import { readOrderReturn, readOrderUpdate } from '../../../src/platform/payloads/order-update.ts'
import { readSale } from '../../../src/platform/payloads/sale.ts'
import { perform } from '../../../src/ports/perform.ts'
import type {
  Attempt,
  CustomersPort,
  Effect,
  Intake,
  OrdersCall,
  OrdersPort,
  StockPort,
} from '../../../src/ports/ports.ts'
import { lookUpAndPerform } from '../../../src/queue/call.ts'
import { attempt } from '../../../test/adapters/contract.ts'
import { type LossyProxy, startLossyProxy } from '../../../test/adapters/lossy-proxy.ts'
import { endlessAisle, type Given, orderUpdate, refundUpdate, saleLine } from '../../../test/fixtures/payloads.ts'
import type { ServiceCall } from '../../../test/peers/vendure-stand-in/books.ts'
import {
  type VendureShop as StandIn,
  type VendureOptions as StandInOptions,
  startVendureShop,
} from '../../../test/peers/vendure-stand-in/vendure.ts'
import vendure from '../src/vendure.ts'

/** What a Vendure shop sells in tests: prices with 25 % VAT within, in NOK. */
export const GOODS = [
  { sku: 'TEE-BLK-M', gtin: '7090012340011', name: 'T-shirt', price: 34900, stock: 200 },
  { sku: 'CAP', gtin: '7090012340028', name: 'Cap', price: 19900, stock: 50 },
  { sku: 'LAST-ONE', gtin: '7090012340035', name: 'The last one', price: 10000, stock: 1 },
] as const

export const STORE_LOCATION = 'Oslo City'

/** Has the rights that the adapter needs, and no others. */
export const ADMINISTRATOR = { username: 'tillbridge@example.com', password: 'of-the-tests-only' }

export interface PlacedInShop {
  lines: { sku: string; quantity: number }[]
  shipping?: 'standard' | 'pickup'
  store?: string
}

/** A Vendure shop as tests need it: the real one, or the stand-in of the sandbox. */
export interface VendureShop extends AsyncDisposable {
  url: string
  apiKey: string
  /** Places an order as a customer does, paid by card: reserved, not taken. */
  place(order: PlacedInShop): Promise<{ id: string; code: string }>
  /** All orders, carts left out, as the Admin API shows them. */
  orders(): Promise<ShownOrder[]>
  /** Does as the shop's staff: cancels all of an order. */
  cancel(id: string): Promise<void>
  /** The payment service refuses the next call of this kind. */
  refuse(call: ServiceCall): void
  /** Does as the shop's staff: enters what is owed of an order as paid in another way. */
  payByHand(id: string): Promise<void>
  stockOf(sku: string, location: string): Promise<{ stockOnHand: number; stockAllocated: number } | undefined>
}

export interface ShownOrder {
  id: string
  code: string
  state: string
  totalWithTax: number
  customFields: { posNumber: string | null }
  customer: { emailAddress: string } | null
  shippingAddress: Given | null
  billingAddress: Given | null
  lines: { id: string; quantity: number; productVariant: { sku: string } }[]
  surcharges: { description: string; priceWithTax: number }[]
  payments: {
    method: string
    amount: number
    state: string
    transactionId: string
    refunds: { total: number; state: string; reason: string; transactionId: string | null }[]
  }[]
  fulfillments: { state: string; trackingCode: string | null }[]
  history: { items: { type: string; isPublic: boolean; data: Given }[] }
}

/** Which fields of an order `orders()` gives. */
export const SHOWN = `id code state totalWithTax customFields { posNumber } customer { emailAddress }
  shippingAddress { fullName streetLine1 city postalCode countryCode } billingAddress { streetLine1 countryCode }
  lines { id quantity productVariant { sku } } surcharges { description priceWithTax }
  payments { method amount state transactionId refunds { total state reason transactionId } }
  fulfillments { state trackingCode }
  history(options: { filter: { type: { in: ["ORDER_NOTE", "ORDER_CANCELLATION"] } } }) { items { type isPublic data } }`

/** The adapter at work in a shop, behind a proxy that can lose answers. */
export interface VendureKit extends AsyncDisposable {
  shop: VendureShop
  proxy: LossyProxy
  orders: Required<OrdersPort>
  customers: Required<Pick<CustomersPort, 'upsert' | 'search' | 'erase'>>
  setLevels: NonNullable<StockPort['setLevels']>
  poll: NonNullable<Intake['poll']>
  order(id: string | undefined): Promise<ShownOrder>
}

export async function createKit(shop: VendureShop, given: Given = {}): Promise<VendureKit> {
  const proxy = await startLossyProxy(shop.url)
  const instance = adapterAt(proxy.url, given)
  const { orders, customers, stock } = instance.ports
  const poll = instance.intake?.poll
  if (!orders || !customers || !stock?.setLevels || !poll) throw new Error('The adapter lacks a port.')
  return {
    shop,
    proxy,
    orders: orders as Required<OrdersPort>,
    customers: customers as Required<Pick<CustomersPort, 'upsert' | 'search' | 'erase'>>,
    setLevels: stock.setLevels,
    poll,
    async order(id) {
      const found = (await shop.orders()).find((order) => order.id === id)
      if (!found) throw new Error(`The shop has no order ${id}.`)
      return found
    },
    async [Symbol.asyncDispose]() {
      await instance[Symbol.asyncDispose]()
      await proxy[Symbol.asyncDispose]()
    },
  }
}

export function adapterAt(url: string, given: Given = {}): AdapterInstance {
  const options = vendure.options.parse(optionsFor(url, given))
  return vendure.create(options, { destination: 'shop', timeout: 10_000, concurrency: 2 })
}

/** The adapter's options for a shop of the tests. */
export function optionsFor(url: string, given: Given = {}): Given {
  const own = { gtinField: 'gtin', numberField: 'posNumber', shippingMethod: 'standard' }
  const pickup = { methods: ['pickup'], placeField: 'pickupStore' }
  return { url, ...('apiKey' in given ? {} : ADMINISTRATOR), ...own, pickup, ...given }
}

let last = 0

/** An attempt of another effect than all before, where it is not said which. */
export function attemptOf(given: Partial<Attempt> = {}): Attempt {
  last += 1
  return attempt({ key: `Test:${process.pid}-${last}:shop`, ...given })
}

/** An attempt of an effect that was tried before. */
export function again({ key }: Attempt, given: Partial<Attempt> = {}): Attempt {
  return attempt({ key, previous: 'open', firstTriedAt: Date.now() - 1_000, ...given })
}

/** An order of the POS, with a T-shirt for 349 NOK or these lines. */
export function orderOf(number: string, lines: Given[] = [{}], given: Given = {}): PosOrder {
  const orderLines = lines.map((line) => saleLine({ shipFromOnlineStore: true, ...line }))
  const total = orderLines.reduce((sum, { price, quantity }) => sum + Number(price) * Number(quantity), 0)
  const paymentLines = [{ type: 'Card', subType: 'Visa', amount: total, currency: 'NOK', txRef: `tx-${number}` }]
  return posOrder(readSale(endlessAisle({ orderNo: number, orderLines, paymentLines, total, ...given })))
}

/** What a store did with an order of the shop; `given` is about the order. */
export function updateOf(given: Given): OrderUpdate {
  return readOrderUpdate(orderUpdate(given)) ?? fail()
}

/** An order of the shop, or of a POS, as an event names it. */
export interface Named {
  code: string
}

/** What stores do with an order, a T-shirt of it where goods are named, as the hub tells the shop. */
export const callOf = {
  ready: ({ code }: Named): OrdersCall => ({ port: 'orders', method: 'ready', argument: updateOf({ orderNo: code }) }),
  collected: ({ code }: Named): OrdersCall => ({
    port: 'orders',
    method: 'collected',
    argument: updateOf({ orderNo: code }),
  }),
  expire: ({ code }: Named): OrdersCall => ({
    port: 'orders',
    method: 'expire',
    argument: { number: code, lines: [] },
  }),
  ship({ code }: Named, id: string, gtins: string[] = [GOODS[0].gtin]): OrdersCall {
    const items = gtins.map((gtin) => ({ gtin }))
    const fulfillmentLocation = { stockName: 'Oslo City', stockId: 12, posId: 3, shipments: [{ id, items }] }
    const order = updateOf({ orderNo: code, status: 'Shipped', fulfillmentLocation })
    return { port: 'orders', method: 'ship', argument: { order, parcel: order.shipments?.[0] ?? fail() } }
  },
  decline({ code }: Named): OrdersCall {
    const orderLines = [{ quantity: 1, gtin: GOODS[0].gtin, rowId: '9', status: 'Declined' }]
    const order = updateOf({ orderNo: code, orderLines })
    return { port: 'orders', method: 'decline', argument: { order, line: order.lines[0] ?? fail(), quantity: ONE } }
  },
  /** The shop is to pay. */
  refund: ({ code }: Named, given: Given = {}): OrdersCall => returned('refund', { orderNo: code, ...given }),
  /** The POS has paid. */
  noteRefund: ({ code }: Named): OrdersCall => returned('noteRefund', { orderNo: code, isRefunded: true }),
}

const ONE = parseDecimal(1)

function returned(method: 'refund' | 'noteRefund', given: Given): OrdersCall {
  const refund = readOrderReturn(refundUpdate(given)) ?? fail()
  return { port: 'orders', method, argument: { refund, line: refund.lines[0] ?? fail(), quantity: ONE } }
}

/** Makes a call that was not made before, or that failed. */
export async function make({ orders }: VendureKit, call: OrdersCall, attempt = attemptOf()): Promise<Effect> {
  const [result] = await perform({ orders }, [{ call, attempt }])
  if (result === undefined || result instanceof Error) throw result ?? new Error('nothing came of it')
  return result
}

export function theirId({ links }: Effect): string {
  return links?.[0]?.theirId ?? fail()
}

/**
 * Does as the hub does about an attempt of which nobody knows: looks for its effect, and makes it where it is not there.
 * `invalidated`: a later event says that it is past that, so that nothing is made any more; null: nothing was there.
 */
export async function goOn(
  { orders }: VendureKit,
  call: OrdersCall,
  attempt: Attempt,
  { invalidated = false }: { invalidated?: boolean } = {},
): Promise<Effect | Error | null> {
  const one = {
    call,
    attempt: again(attempt, { links: attempt.links }),
    onlyLook: invalidated,
    unlessFindable: 'hold',
    inDoubtUntil: null,
    noteSecondCall: async () => {},
  } as const
  const [result = null] = await lookUpAndPerform({ orders }, [one])
  return result
}

function fail(): never {
  throw new Error('The fixture says less than the test needs.')
}

/** The sandbox's stand-in as the stories need a shop. */
export interface StandInShop extends VendureShop {
  standIn: StandIn
}

const CUSTOMER = { emailAddress: 'ola.hansen@example.com', firstName: 'Ola', lastName: 'Hansen' }
const ADDRESS = { streetLine1: 'Bryggen 2', city: 'Bergen', postalCode: '5003', countryCode: 'NO' }

/** `permissions`: of the administrator's role; all if left out. */
export async function startStandIn(
  given: Partial<Pick<StandInOptions, 'permissions' | 'articles'>> = {},
): Promise<StandInShop> {
  const apiKey = 'an-api-key-of-the-tests'
  const locations = ['Default Stock Location', STORE_LOCATION]
  const standIn = await startVendureShop({ ...ADMINISTRATOR, apiKey, articles: GOODS, locations, ...given })
  return {
    standIn,
    url: standIn.url,
    apiKey,
    async place({ lines, shipping = 'standard', store = null }) {
      const customer = { ...CUSTOMER, phoneNumber: '+47 912 34 567' }
      return standIn.place({ lines, shipping, store, customer, address: ADDRESS })
    },
    async orders() {
      const shown = standIn.orders().map((order) => ({ ...order, history: { items: order.entries.filter(isShown) } }))
      const totals = standIn.orders().map(({ totalWithTax }) => ({ totalWithTax }))
      return structuredClone(shown.map((order, index) => ({ ...order, ...totals[index] }))) as unknown as ShownOrder[]
    },
    async cancel(orderId) {
      standIn.mutate('cancelOrder', { input: { orderId, reason: 'Wished by the customer' } })
    },
    refuse: (call) => standIn.refuse(call),
    async payByHand(orderId) {
      standIn.mutate('transitionOrderToState', { id: orderId, state: 'ArrangingAdditionalPayment' })
      standIn.mutate('addManualPaymentToOrder', { input: { orderId, method: 'cash', metadata: {} } })
      standIn.mutate('transitionOrderToState', { id: orderId, state: 'PaymentSettled' })
    },
    async stockOf(sku, location) {
      const place = standIn.locations().find(({ name }) => name === location)
      const variant = standIn.variants().find((one) => one.sku === sku)
      return variant?.stockLevels.find(({ stockLocationId }) => stockLocationId === place?.id)
    },
    [Symbol.asyncDispose]: () => standIn[Symbol.asyncDispose](),
  }
}

function isShown({ type }: { type: string }): boolean {
  return type === 'ORDER_NOTE' || type === 'ORDER_CANCELLATION'
}
