import type { AdapterInstance } from '../../../src/adapters/adapter.ts'
import vendure from '../../../src/adapters/vendure/vendure.ts'
import { type PosOrder, posOrder } from '../../../src/domain/orders/order.ts'
import type { OrderReturn, OrderUpdate } from '../../../src/domain/orders/order-update.ts'
import { readOrderReturn, readOrderUpdate } from '../../../src/platform/payloads/order-update.ts'
import { readSale } from '../../../src/platform/payloads/sale.ts'
import type { Attempt, Effect } from '../../../src/ports/attempt.ts'
import type { Intake } from '../../../src/ports/intake.ts'
import type { CustomersPort, OrdersCall, OrdersPort, StockPort } from '../../../src/ports/ports.ts'
import { lookAndPerform } from '../../../src/queue/look.ts'
import {
  endlessAisle,
  type Given,
  orderUpdate,
  refundUpdate,
  saleLine,
  shippedOrderUpdate,
} from '../../fixtures/payloads.ts'
import type { ServiceCall } from '../../peers/vendure-stand-in/books.ts'
import { attempt } from '../contract.ts'
import { type LossyProxy, startLossyProxy } from '../lossy-proxy.ts'

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
  return readOrderUpdate(given.shipments ? shippedOrderUpdate(given) : orderUpdate(given)) ?? fail()
}

export function parcelOf(number: string, id: string, gtins: string[]): OrderUpdate {
  const items = gtins.map((gtin) => ({ gtin }))
  const fulfillmentLocation = { stockName: 'Oslo City', stockId: 12, posId: 3, shipments: [{ id, items }] }
  return readOrderUpdate(orderUpdate({ orderNo: number, status: 'Shipped', fulfillmentLocation })) ?? fail()
}

export function returnOf(number: string, given: Given = {}): OrderReturn {
  return readOrderReturn(refundUpdate({ orderNo: number, ...given })) ?? fail()
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
  const [result = null] = await lookAndPerform({ orders }, [one])
  return result
}

function fail(): never {
  throw new Error('The fixture says less than the test needs.')
}
