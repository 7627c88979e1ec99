import {
  type Attempt,
  candidatesOf,
  createKeySearch,
  createOrderPoll,
  type Decimal,
  type FoundOrder,
  type FoundOrderLine,
  formatInstant,
  foundAddress,
  foundCustomer,
  type GivenOrder,
  given,
  goodsOf,
  holdsGoods,
  type Intake,
  type IntakeItem,
  lacksGoods,
  multiplyDecimals,
  type OrderNumber,
  orderAddress,
  orderCustomer,
  parseDecimal,
  piecesOf,
  type Question,
  type Reconciled,
  type ReconciledOrder,
  saleCustomer,
  tallyOrders,
  theOrder,
} from 'tillbridge/adapter'
import { readOrder, runOrder, type Shop } from '../shop.ts'
import {
  buyerOf,
  contactOf,
  countOf,
  customField,
  gtinOf,
  hasMarkedNote,
  isFromPos,
  ourCancellations,
  posKeyOf,
  priceOf,
  type ShopLine,
  type ShopOrder,
  surplus,
} from './shop-order.ts'

const PAGE = 50

function orders(shop: Pick<Shop, 'api' | 'operations'>, options: object, signal: AbortSignal) {
  return runOrder(shop, shop.operations.orders, { options }, { signal })
}

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

async function findByCode(shop: Shop, number: string, signal: AbortSignal): Promise<ShopOrder | null> {
  const { numberField } = shop.options
  const coded = await orders(shop, { filter: { code: { eq: number } }, take: 1 }, signal)
  if (coded.items[0] || numberField === undefined) return coded.items[0] ?? null
  const sort = { createdAt: 'DESC' }
  const numbered = await orders(shop, { filter: { [numberField]: { eq: number } }, sort, take: 1 }, signal)
  return numbered.items[0] ?? null
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

export function createIntake(shop: Shop): Intake {
  const poll = createOrderPoll({
    async read(after, page, signal) {
      const options = {
        filter: { updatedAt: { after: formatInstant(after) }, orderPlacedAt: { isNull: false } },
        // No second field: GraphQL gives Vendure the fields in the schema's order, so that `id` would come first.
        sort: { updatedAt: 'ASC' },
        take: PAGE,
        skip: (page - 1) * PAGE,
      }
      const { items } = await orders(shop, options, signal)
      return { orders: items, more: items.length === PAGE }
    },
    changedAt: ({ updatedAt }) => Date.parse(updatedAt),
    itemsOf: (order) => itemsOf(shop, order),
  })
  return { poll }
}

const WAITING = new Set(['PaymentAuthorized', 'PaymentSettled'])

function itemsOf(shop: Shop, order: ShopOrder): IntakeItem[] {
  // The sellers' orders count.
  if (isFromPos(order) || order.type === 'Aggregate') return []
  const place = locationOf(shop, order)
  if (place === null) return order.state === 'Delivered' ? [saleOf(shop, order)] : []
  if (order.state === 'Cancelled')
    return ourCancellations(order).length > 0 ? [] : [item('cancellations', order, place, { orderNo: order.code })]
  return WAITING.has(order.state) ? [submittedOf(shop, order, place)] : []
}

function locationOf({ options: { pickup } }: Shop, order: ShopOrder): string | null {
  const method = order.shippingLines.map(({ shippingMethod }) => shippingMethod.code)
  const chosen = method.find((code) => pickup?.methods.includes(code))
  if (chosen === undefined) return null
  return pickup?.placeField === undefined ? chosen : customField(order, pickup.placeField)
}

function submittedOf(shop: Shop, order: ShopOrder, place: string): IntakeItem {
  const { amounts, options } = shop
  const lines = order.lines.flatMap((line) => {
    const quantity = line.quantity + declinedOf(order, line)
    if (quantity === 0) return []
    return [
      { gtin: gtinOf(line, options), price: amounts.decimal(priceOf(order, line, 1)), quantity: String(quantity) },
    ]
  })
  const payments = order.payments.filter(({ state }) => state === 'Settled' || state === 'Authorized')
  const value = {
    orderNo: order.code,
    saleDateTime: order.orderPlacedAt,
    customer: orderCustomer(buyerOf(order)),
    ...given({ billingAddress: orderAddress(contactOf(order.billingAddress)) }),
    orderLines: lines,
    currency: order.currencyCode,
    paymentLines: payments.map(({ method, amount }) => ({
      amount: amounts.decimal(amount),
      currency: order.currencyCode,
      type: method,
    })),
  }
  return item('orders', order, place, value)
}

function saleOf({ amounts, options }: Shop, order: ShopOrder): IntakeItem {
  const lines = order.lines.filter(({ quantity }) => quantity > 0)
  const goods = lines.reduce((sum, line) => sum + line.proratedLinePriceWithTax, 0)
  const value = {
    orderNo: order.code,
    saleDateTime: order.orderPlacedAt,
    ...given({ country: order.shippingAddress?.countryCode ?? order.billingAddress?.countryCode }),
    customer: saleCustomer(order.customer?.id ?? order.code, buyerOf(order)),
    salesLines: lines.flatMap((line) =>
      piecesOf(amounts.fromShop(line.proratedLinePriceWithTax, order.currencyCode), line.quantity).map(
        ({ price, quantity: qty }) => ({ identity: gtinOf(line, options), price, qty }),
      ),
    ),
    paymentLines: [{ amount: amounts.decimal(goods), currency: order.currencyCode }],
  }
  return { ...item('sales', order, null, value), ...completionOf(order) }
}

function completionOf({ fulfillments }: ShopOrder): Pick<IntakeItem, 'completedAt'> {
  const times = fulfillments.flatMap(({ state, updatedAt }) => (state === 'Delivered' && updatedAt ? [updatedAt] : []))
  const last = times.toSorted((one, other) => Date.parse(one) - Date.parse(other)).at(-1)
  return last === undefined ? {} : { completedAt: last }
}

/** Times may be in whole seconds, so the key has what may change within one. */
function item(
  resource: IntakeItem['resource'],
  order: ShopOrder,
  place: string | null,
  value: Record<string, unknown>,
): IntakeItem {
  const pieces = order.lines.map(({ id, quantity }) => `${id}x${quantity}`).join('+')
  const key = `${order.id}/${order.updatedAt}/${order.state}/${order.totalWithTax}/${surplus(order)}/${pieces}`
  return { resource, key, theirId: order.id, place, value }
}

function declinedOf(order: ShopOrder, { id }: ShopLine): number {
  return ourCancellations(order)
    .flatMap(({ lines }) => (Array.isArray(lines) ? lines : []))
    .filter((line) => String(Object(line).orderLineId) === id)
    .reduce((sum, line) => sum + (Number(Object(line).quantity) || 0), 0)
}
