import { Big } from 'big.js'
import {
  type Attempt,
  candidatesOf,
  chunksOf,
  compareDecimals,
  createKeySearch,
  type Decimal,
  type FoundOrder,
  type FoundOrderLine,
  formatSeconds,
  foundAddress,
  foundCustomer,
  type GivenOrder,
  type Goods,
  goodsOf,
  holdsGoods,
  isSameArticle,
  lacksGoods,
  type Money,
  money,
  mustCompare,
  type OrderLineUpdate,
  type OrderNumber,
  ofArticle,
  PermanentError,
  parseDecimal,
  piecesOf,
  type Question,
  type Reconciled,
  type ReconciledOrder,
  sumDecimals,
  tallyOrders,
  theOrder,
} from 'tillbridge/adapter'
import { z } from 'zod'
import { lastPage, PAGE_SIZE, pagesOf, readOne, type ShopApi } from '../api.ts'
import { amount, optional, readable } from '../document.ts'
import type { WooCommerceOptions } from '../options.ts'
import {
  afterDiscount,
  contactOf,
  costOf,
  creditOf,
  discountOf,
  isOff,
  isOfPos,
  META,
  metaOf,
  paymentOf,
  piecesBack,
  placedAt,
  type ShopLine,
  ShopOrder,
  type ShopRefund,
  WholeOrder,
} from '../shop-order.ts'
import { findProducts } from '../stock.ts'
import { withoutContainers } from './lines.ts'
import { type OrderContext, wasPaid } from './order-context.ts'
import { refundsOf } from './refunds.ts'

const Keyed = ShopOrder.pick({ id: true, meta_data: true })

export function createWooKeySearch(api: Pick<ShopApi, 'get'>) {
  return createKeySearch({
    start: { status: 'any', page: 1 },
    async read({ status, page }, from, signal) {
      const query = {
        after: formatSeconds(from),
        dates_are_gmt: 'true',
        status,
        orderby: 'id',
        order: 'asc',
        per_page: String(PAGE_SIZE),
        page: String(page),
        _fields: 'id,meta_data',
      }
      const answer = await api.get('/orders', query, z.array(Keyed), signal)
      const trash = status === 'any' ? { status: 'trash', page: 1 } : null
      return { orders: answer.value, next: page < lastPage(answer, page) ? { status, page: page + 1 } : trash }
    },
    hasKey: (order, key) => metaOf(order, META.key) === key,
  })
}

export async function findOrder({ api, search }: OrderContext, attempt: Attempt): Promise<ShopOrder | null> {
  const found = await search.find(attempt)
  return found && (await api.get(`/orders/${found.id}`, {}, ShopOrder, attempt.signal)).value
}

/** Few fields: one that a plugin changed must not fail it. */
const Summary = ShopOrder.pick({ id: true, status: true, currency: true, meta_data: true }).extend({
  total: optional(amount),
  refunds: readable(z.unknown()),
})

const SUMMARY_FIELDS = 'id,status,currency,total,refunds,meta_data'

/** The list leaves out the trash and hidden statuses of plugins: those are read one by one. */
export function reconcile(
  { api, search }: OrderContext,
  given: readonly GivenOrder[],
  { signal }: Question,
): Promise<Reconciled[]> {
  return tallyOrders(given, {
    byKeys: (keys, from) => search.byKeys(keys, from, signal),
    async read(all) {
      const orders = new Map<string, ReconciledOrder>()
      for (const ids of chunksOf(all.filter(isId), PAGE_SIZE)) {
        const query = { include: ids.join(','), status: 'any', per_page: String(PAGE_SIZE), _fields: SUMMARY_FIELDS }
        const { value } = await api.get('/orders', query, z.array(Summary), signal)
        for (const order of value) orders.set(String(order.id), talliedOrder(order))
        for (const id of ids.filter((one) => !orders.has(one))) {
          const order = await orderById(api, id, Summary, signal)
          if (order) orders.set(id, talliedOrder(order))
        }
      }
      return orders
    },
  })
}

function talliedOrder(order: z.output<typeof Summary>): ReconciledOrder {
  const { status, refunds, total, currency } = order
  const isChanged = refunds.length > 0 || isOff(order)
  return {
    key: metaOf(order, META.key),
    isTrash: status === 'trash',
    isOff: isOff(order),
    amount: isChanged || total === null ? null : money(total, currency),
  }
}

function isId(text: string): boolean {
  return /^[1-9]\d{0,14}$/.test(text)
}

type Wanted = Pick<OrderLineUpdate, 'rowId' | 'gtin'>

/** By the shop's line id (order lookup), the POS's row id, or the GTIN, which may be on several lines. */
export async function findLines(
  { api, destination }: OrderContext,
  order: ShopOrder,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<ShopLine[]> {
  const { rowId, gtin } = wanted
  const known = [
    (line: ShopLine) => rowId !== null && String(line.id) === rowId && fits(line, gtin),
    (line: ShopLine) => rowId !== null && metaOf(line, META.row) === rowId,
  ]
  for (const is of known) {
    const found = order.line_items.filter(is)
    if (found.length > 0) return found
  }
  const named = gtin === null ? [] : ofArticle(order.line_items, gtinsOf, gtin)
  if (named.length > 0) return named
  const [product] = gtin === null ? [] : await findProducts(api, [{ sku: null, gtin }], signal)
  const sold = product && ('variation_id' in product ? product.variation_id : product.product_id)
  const found = sold ? order.line_items.filter((line) => (line.variation_id || line.product_id) === sold) : []
  if (found.length > 0) return found
  throw new PermanentError(
    `${destination}: order ${order.number} has no line ${rowId ?? '(without id)'} with GTIN ${gtin ?? 'unknown'}. Put the GTIN into the shop's product (or its SKU), then retry; else do it in the shop and skip this.`,
    { code: 'no-such-line' },
  )
}

function fits(line: ShopLine, gtin: string | null): boolean {
  const known = [metaOf(line, META.gtin), line.global_unique_id].filter(Boolean)
  return gtin === null || known.length === 0 || gtinsOf(line).some((own) => isSameArticle(own, gtin))
}

export function gtinsOf(line: ShopLine): (string | null | undefined)[] {
  return [metaOf(line, META.gtin), line.global_unique_id, line.sku]
}

export function articlesOf(lines: readonly ShopLine[], named: readonly Pick<OrderLineUpdate, 'gtin'>[]): string[] {
  return [...lines.flatMap(gtinsOf), ...named.map(({ gtin }) => gtin)].flatMap((gtin) => gtin || [])
}

const Listed = ShopOrder.pick({ id: true, number: true, meta_data: true })

type Listed = z.output<typeof Listed>

/** Ids of found orders that `is` accepts, up to the shop's own. The search also matches phone numbers and postal codes, so it may be on any page. */
async function idsNumbered(
  api: Pick<ShopApi, 'get'>,
  term: string,
  { is, isOwn }: { is(order: Listed): boolean; isOwn(order: Listed): boolean },
  signal: AbortSignal,
): Promise<number[]> {
  const found: number[] = []
  const query = { search: term, _fields: 'id,number,meta_data' }
  for await (const page of pagesOf(api, '/orders', query, z.unknown(), { signal })) {
    const listed = page.flatMap((one) => Listed.safeParse(one).data ?? [])
    for (const one of listed) if (is(one) || isOwn(one)) found.push(one.id)
    if (listed.some(isOwn)) break
  }
  return [...new Set(found)]
}

export async function locateOrder(
  context: OrderContext,
  { number, lines }: OrderNumber,
  attempt: Attempt,
): Promise<ShopOrder> {
  const { signal } = attempt
  const byId = (id: string) => orderById(context.api, id, ShopOrder, signal)
  const all = await candidatesOf<ShopOrder>(number, attempt, {
    idOf: ({ id }) => String(id),
    isFromPos: isOfPos,
    byId,
    byNumber: async () => {
      const same = await byId(number)
      if (same?.number === number) return [same]
      const meant = {
        isOwn: (order: Pick<ShopOrder, 'number'>) => order.number === number,
        is: (order: Pick<ShopOrder, 'meta_data'>) => metaOf(order, META.order) === number,
      }
      return await ordersById(context.api, await idsNumbered(context.api, number, meant, signal), ShopOrder, signal)
    },
  })
  const kept = all.filter(({ order }) => order.status !== 'trash')
  const found = kept.length > 0 ? kept : all
  const goods = goodsOf(lines)
  const compare = mustCompare(found)
  const candidates = await Promise.all(
    found.map(async (one) => {
      const seemsToLack = lacksGoods(goods, articleNumbersOf(one.order))
      const has = compare || seemsToLack ? await countsOf(context, one.order, goods, signal) : []
      return { ...one, holds: holdsGoods(goods, has), lacks: seemsToLack && has.every(isNone) }
    }),
  )
  return theOrder(context.destination, number, candidates)
}

async function orderById<T>(api: ShopApi, id: string, schema: z.ZodType<T>, signal: AbortSignal): Promise<T | null> {
  return isId(id) ? await readOne(api, `/orders/${id}`, schema, signal) : null
}

/** Those that the shop has. */
async function ordersById<T extends object>(
  api: ShopApi,
  ids: readonly (string | number)[],
  schema: z.ZodType<T>,
  signal: AbortSignal,
): Promise<T[]> {
  const found = await Promise.all(ids.map((id) => orderById(api, String(id), schema, signal)))
  return found.filter((order) => order !== null)
}

/** None after a decline, which takes lines away. */
function articleNumbersOf(order: ShopOrder): (string | null | undefined)[][] {
  const isLess = order.meta_data.some(({ key }) => key.startsWith(META.declined))
  return isLess ? [] : order.line_items.map(gtinsOf)
}

const isNone = (has: Decimal) => compareDecimals(has, parseDecimal(0)) === 0

async function countsOf(
  context: OrderContext,
  order: ShopOrder,
  goods: readonly Goods[],
  signal: AbortSignal,
): Promise<Decimal[]> {
  const has: Decimal[] = []
  for (const one of goods) {
    const lines = await findLines(context, order, one, signal).catch((error: unknown) => {
      if (error instanceof PermanentError && error.code === 'no-such-line') return []
      throw error
    })
    has.push(sumDecimals(lines.map(({ quantity }) => parseDecimal(quantity))))
  }
  return has
}

function foundOrder(given: WholeOrder, refunds: readonly ShopRefund[], options: WooCommerceOptions): FoundOrder {
  const { order } = withoutContainers(given)
  const credit = creditOf(order)
  const { billing, shipping, currency } = order
  const total = parseDecimal(order.total)
  const buyer = contactOf(billing)
  const costs = afterDiscount(
    order.line_items.map((line) => costOf(line, currency)),
    discountOf(order),
  )
  return {
    number: order.number,
    theirId: String(order.id),
    placedAt: placedAt(order),
    status: order.status,
    currency,
    total,
    lines: order.line_items.map((line, index) => foundLine(line, costs[index], order, refunds)),
    payments: wasPaid({ options }, order)
      ? [
          { type: paymentOf(order), amount: total, reference: order.transaction_id },
          ...(credit
            ? [{ type: options.creditPayment?.type ?? 'Gift card or credit', amount: credit.amount, reference: null }]
            : []),
        ]
      : [],
    customer: foundCustomer(buyer),
    billingAddress: foundAddress(buyer),
    shippingAddress: foundAddress(contactOf(shipping)),
  }
}

/** Rounded down: three for 100 kr are 33.33 each, so that returns give no more than was paid. */
function foundLine(
  line: ShopLine,
  cost: Money | undefined,
  order: WholeOrder,
  refunds: readonly ShopRefund[],
): FoundOrderLine {
  const { id, global_unique_id: gtin, sku, name, quantity } = line
  const [first] = piecesOf(cost ?? costOf(line, order.currency), quantity)
  return {
    rowId: String(id),
    gtin: gtin?.trim() || null,
    sku: sku?.trim() || null,
    name: name ?? '',
    quantity: parseDecimal(quantity),
    returned: parseDecimal(piecesBack(id, refunds)),
    unitPrice: first?.price ?? parseDecimal(0),
    vatRate: vatRateOf(line, order),
  }
}

function vatRateOf({ taxes }: ShopLine, { tax_lines }: WholeOrder): Decimal | null {
  const own = tax_lines.filter(({ rate_id }) => taxes.some(({ id, total }) => id === rate_id && Number(total) !== 0))
  if (tax_lines.length === 0 || own.some(({ rate_percent }) => typeof rate_percent !== 'number')) return null
  const percent = sumDecimals(own.map(({ rate_percent }) => parseDecimal(rate_percent)))
  return parseDecimal(new Big(percent).div(100).toFixed())
}

const NO_ORDERS = new Set(['auto-draft', 'checkout-draft', 'draft', 'trash'])

/** Exactly this number, also as `#1001` or `10 01`. A plugin's numbers are in the search. */
export function createWooSearch(
  api: ShopApi,
  options: WooCommerceOptions,
): (number: string, question: Question) => Promise<FoundOrder[]> {
  return async (number, { signal, theirIds = [] }) => {
    const wanted = plain(number)
    if (wanted === '') return []
    const isOwn = (order: Pick<WholeOrder, 'number'>) => plain(order.number) === wanted
    const read = (ids: readonly (string | number)[]) => ordersById(api, ids, WholeOrder, signal)
    const [linked, byId, bySearch] = await Promise.all([
      read(theirIds),
      read([wanted]),
      idsNumbered(api, wanted, { is: isOwn, isOwn }, signal).then(read),
    ])
    const orders = new Map([...linked, ...[...byId, ...bySearch].filter(isOwn)].map((order) => [order.id, order]))
    const found = [...orders.values()].filter((one) => !NO_ORDERS.has(one.status))
    return await Promise.all(
      found.map(async (order) => {
        const refunds = order.refunds.length === 0 ? [] : await refundsOf({ api }, order, signal)
        const answer = foundOrder(order, refunds, options)
        return linked.includes(order) ? { ...answer, number } : answer
      }),
    )
  }
}

function plain(number: string): string {
  return number.replaceAll(/[\s#]/g, '').toUpperCase()
}
