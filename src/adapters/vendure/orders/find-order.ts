import type { Reconciled } from '../../../domain/completeness/reconciled.ts'
import type { FoundOrder, FoundOrderLine } from '../../../domain/orders/order.ts'
import { goodsOf, holdsGoods, lacksGoods } from '../../../domain/orders/which-order.ts'
import { formatInstant } from '../../../domain/values/instant.ts'
import { type Decimal, multiplyDecimals, parseDecimal } from '../../../domain/values/money.ts'
import type { Attempt, Question } from '../../../ports/attempt.ts'
import type { GivenOrder, OrderNumber } from '../../../ports/ports.ts'
import { foundAddress, foundCustomer } from '../../shared/contact.ts'
import { candidatesOf, createKeySearch, type ReconciledOrder, tallyOrders, theOrder } from '../../shared/shop-orders.ts'
import { readOrder, runOrder, type Shop } from '../shop.ts'
import { priceOf } from './basket.ts'
import {
  buyerOf,
  contactOf,
  countOf,
  gtinOf,
  hasMarkedNote,
  isFromPos,
  posKeyOf,
  type ShopLine,
  type ShopOrder,
} from './shop-order.ts'

const PAGE = 50

/** Without carts. */
export function createVendureKeySearch(shop: Pick<Shop, 'api' | 'operations'>) {
  return createKeySearch({
    start: 0,
    async read(skip, from, signal) {
      const filter = { createdAt: { after: formatInstant(from) }, state: { notEq: 'AddingItems' } }
      const page = await orders(shop, { filter, sort: { createdAt: 'ASC' }, take: PAGE, skip }, signal)
      return { orders: page.items, next: skip + PAGE < page.totalItems ? skip + PAGE : null }
    },
    hasKey: hasMarkedNote,
  })
}

async function findByCode(shop: Shop, number: string, signal: AbortSignal): Promise<ShopOrder | null> {
  const { numberField } = shop.options
  const coded = await orders(shop, { filter: { code: { eq: number } }, take: 1 }, signal)
  if (coded.items[0] || numberField === undefined) return coded.items[0] ?? null
  const sort = { createdAt: 'DESC' }
  const numbered = await orders(shop, { filter: { [numberField]: { eq: number } }, sort, take: 1 }, signal)
  return numbered.items[0] ?? null
}

export async function orderOf(
  shop: Shop,
  { number, lines }: OrderNumber,
  attempt: Pick<Attempt, 'signal' | 'links'>,
): Promise<ShopOrder> {
  const goods = goodsOf(lines)
  const found = await candidatesOf<ShopOrder>(number, attempt, {
    idOf: ({ id }) => id,
    isFromPos,
    // A submitted order's link may be its number.
    byId: async (id) => (id === number ? null : await readOrder(shop, id, attempt)),
    byNumber: async () => [(await findByCode(shop, number, attempt.signal)) ?? []].flat(),
  })
  const candidates = found.map((one) => {
    const has = goods.map((wanted) => countOf(one.order, wanted, shop.options))
    const articles = one.order.lines.map((line) => [gtinOf(line, shop.options)])
    return { ...one, holds: holdsGoods(goods, has), lacks: lacksGoods(goods, articles) }
  })
  return theOrder(shop.api.destination, number, candidates)
}

export function orders(shop: Pick<Shop, 'api' | 'operations'>, options: object, signal: AbortSignal) {
  return runOrder(shop, shop.operations.orders, { options }, { signal })
}

export function reconcile(shop: Shop, given: readonly GivenOrder[], question: Question): Promise<Reconciled[]> {
  return tallyOrders(given, {
    byKeys: (keys, from) => shop.search.byKeys(keys, from, question.signal),
    async read(ids) {
      const orders = new Map<string, ReconciledOrder>()
      for (const id of ids) {
        const order = await readOrder(shop, id, question)
        if (order) orders.set(id, talliedOrder(shop, order))
      }
      return orders
    },
  })
}

function talliedOrder({ amounts }: Shop, order: ShopOrder): ReconciledOrder {
  const { state, payments, totalWithTax, currencyCode } = order
  const isOff = state === 'Cancelled'
  const isChanged = isOff || payments.some(({ refunds }) => refunds.length > 0)
  const amount = isChanged ? null : { amount: amounts.decimal(totalWithTax), currency: currencyCode }
  return { key: posKeyOf(order), isOff, amount }
}

export async function searchOrders(
  shop: Shop,
  number: string,
  { signal, theirIds = [] }: Question,
): Promise<FoundOrder[]> {
  const linked = theirIds.filter((id) => id !== number).map((id) => readOrder(shop, id, { signal }))
  const found = await Promise.all([...linked, findByCode(shop, number, signal)])
  const orders = new Map(found.flatMap((order) => (order && order.state !== 'Draft' ? [[order.id, order]] : [])))
  return [...orders.values()].map((order) => foundOrder(shop, order, number))
}

function foundOrder(shop: Shop, order: ShopOrder, number: string): FoundOrder {
  const decimal = shop.amounts.decimal
  return {
    number,
    theirId: order.id,
    placedAt: order.orderPlacedAt ?? order.createdAt,
    status: order.state,
    currency: order.currencyCode,
    total: decimal(order.totalWithTax),
    lines: order.lines.filter(({ quantity }) => quantity > 0).map((line) => foundLine(shop, order, line)),
    payments: order.payments
      .filter(({ state }) => state === 'Settled' || state === 'Authorized')
      .map(({ method, amount, transactionId }) => ({
        type: method,
        amount: decimal(amount),
        reference: transactionId ?? null,
      })),
    customer: order.customer ? foundCustomer(buyerOf(order)) : null,
    billingAddress: foundAddress(contactOf(order.billingAddress)),
    shippingAddress: foundAddress(contactOf(order.shippingAddress)),
  }
}

function foundLine({ options, amounts }: Shop, order: ShopOrder, line: ShopLine): FoundOrderLine {
  const returned = order.payments
    .flatMap(({ refunds }) => refunds)
    .filter(({ state }) => state !== 'Failed')
    .flatMap(({ lines }) => lines)
    .filter(({ orderLineId }) => orderLineId === line.id)
    .reduce((sum, { quantity }) => sum + quantity, 0)
  return {
    rowId: line.id,
    gtin: gtinOf(line, options),
    sku: line.productVariant.sku,
    name: line.productVariant.name,
    quantity: parseDecimal(line.quantity),
    returned: parseDecimal(returned),
    unitPrice: amounts.decimal(priceOf(order, line, 1)),
    vatRate: multiplyDecimals(parseDecimal(line.taxRate), '0.01' as Decimal),
  }
}
