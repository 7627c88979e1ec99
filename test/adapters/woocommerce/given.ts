import type { Shop } from '../../../sandbox/shop/shop.ts'
import type { OrderLineUpdate, OrderUpdate } from '../../../src/domain/orders/order-update.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import type { Attempt } from '../../../src/ports/attempt.ts'
import type { DeclinedGoods, OrdersCall, ReturnedGoods } from '../../../src/ports/ports.ts'
import { attempt } from '../contract.ts'
import { askShop, startWithShop, VAT, type WithShop } from './shop.ts'

export const GTIN = '7090012340011'

/** A shirt for 100.00 with VAT, a cap for 33.33, and socks that nobody counts, for 0.05. */
const PRODUCTS = [
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
  const it = await startWithShop({ products: PRODUCTS, taxes: VAT }, written)
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

export function returned(number: string, quantity = 1, line = lineOf(), refundId = 'R-1'): ReturnedGoods {
  const refund = { number, refundId, status: 'Returned', isRefunded: false, stockId: '1', stockName: 'Oslo City' }
  return { refund: { ...refund, lines: [line] }, line, quantity: parseDecimal(quantity) }
}

export function declined(number: string, quantity = 1, line = lineOf()): DeclinedGoods {
  return { order: updateOf(number), line, quantity: parseDecimal(quantity) }
}
