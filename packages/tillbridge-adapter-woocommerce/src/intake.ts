import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  addMoney,
  amountText,
  compareDecimals,
  createOrderPoll,
  digestOf,
  formatSeconds,
  given,
  type Intake,
  type IntakeItem,
  type IntakeRequest,
  type Money,
  messageOf,
  money,
  multiplyDecimals,
  orderAddress,
  orderCustomer,
  parseDecimal,
  parseWithIds,
  piecesOf,
  RetryLaterError,
  saleCustomer,
  subtractDecimals,
  subtractMoney,
  sumDecimals,
  text as textOf,
} from 'tillbridge/adapter'
import { z } from 'zod'
import { lastPage, PAGE_SIZE, pagesOf, type ShopApi, saysCode } from './api.ts'
import { customerItems, ShopCustomer } from './customers.ts'
import { id, list, text } from './document.ts'
import type { WooCommerceOptions } from './options.ts'
import { type OrderedLine, orderedLines, refundsContainer, withoutContainers } from './orders/lines.ts'
import { wasPaid } from './orders/order-context.ts'
import { refundsOf } from './orders/refunds.ts'
import {
  afterDiscount,
  contactOf,
  costOf,
  creditOf,
  discountOf,
  gtinOf,
  isOfPos,
  META,
  metaOf,
  notBelowZero,
  paymentOf,
  piecesBack,
  placedAt,
  refundsOfLine,
  type ShopLine,
  type ShopRefund,
  shareOf,
  sumOfCosts,
  WholeOrder,
} from './shop-order.ts'

const ANSWER_TIMEOUT_MS = 10_000

const IF_REFUNDED = 'look at its refunds in the shop, and save it there once more, or call the store'
const IF_DELETED =
  'look in the shop. If it is gone, cancel it for the store with DELETE /v1/orders/<its number>, or call the store'

/** Strict: the topic is not signed, so a signed order could be sent under it. */
const Gone = z.strictObject({ id: z.number().int() })

/** An order has the form of an account without a role. */
const Account = ShopCustomer.extend({ role: z.string() })

/** Webhooks and polling; null if neither is configured. */
export function createWooIntake(api: ShopApi, options: WooCommerceOptions, destination: string): Intake | null {
  const { webhookSecret, poll = webhookSecret !== undefined, handsOver } = options
  if (webhookSecret === undefined && !poll) return null
  return {
    ...(webhookSecret !== undefined && { isPing, verify: createVerify(webhookSecret), read: readWebhook }),
    ...(poll && { poll: createPoll() }),
  }

  /** Other topics are ignored. */
  async function readWebhook(request: IntakeRequest): Promise<IntakeItem[]> {
    const topic = request.headers['x-wc-webhook-topic'] ?? ''
    switch (topic) {
      case 'order.created':
      case 'order.updated':
      case 'order.restored':
        return await itemsOf(readBody(WholeOrder, topic, request), null)
      case 'order.deleted':
        if (!handsOver.includes('orders')) return []
        return await deletedItems(readBody(Gone, topic, request), request.headers['x-wc-webhook-delivery-id'] ?? '')
      case 'customer.created':
      case 'customer.updated':
        return handsOver.includes('customers') ? customerItems(readBody(Account, topic, request)) : []
      default:
        return []
    }
  }

  /**
   * A poll throws if the shop may answer later; a webhook, which WooCommerce does not repeat, is quarantined then. An error of one order
   * does not stop the others.
   */
  async function itemsOf(order: WholeOrder, signal: AbortSignal | null): Promise<IntakeItem[]> {
    if (!asksForRefunds(order, options)) return orderItems(order, options)
    try {
      const refunds = await refundsOf({ api }, order, signal ?? AbortSignal.timeout(ANSWER_TIMEOUT_MS))
      return orderItems(order, options, refunds)
    } catch (error) {
      if (signal && error instanceof RetryLaterError && error.code !== 'unreadable-answer') throw error
      const fault = `which pieces of order ${order.number} were refunded could not be asked (${messageOf(error)}): ${IF_REFUNDED}`
      return orderItems(order, options).map((item) => ({ ...item, faults: [fault] }))
    }
  }

  /** Ids of deleted customers and products are signed alike: the shop is asked, and without an answer the deletion is quarantined. */
  async function deletedItems({ id }: z.output<typeof Gone>, delivery: string): Promise<IntakeItem[]> {
    const theirId = String(id)
    const key = `order/${id}/${delivery}/deleted`
    const gone: IntakeItem = { resource: 'cancellations', key, theirId, place: null, value: { orderNo: theirId } }
    try {
      const { value: order } = await api.get(`/orders/${id}`, {}, WholeOrder, AbortSignal.timeout(ANSWER_TIMEOUT_MS))
      return await itemsOf(order, null)
    } catch (error) {
      if (saysCode(error, 'woocommerce_rest_shop_order_invalid_id')) return [gone]
      const fault = `whether order ${id} is deleted could not be asked (${messageOf(error)}): ${IF_DELETED}`
      return [{ ...gone, faults: [fault] }]
    }
  }

  /** `modified_after` has seconds and excludes its bound. A refund dates its order anew (WooCommerce 7.6). */
  function createPoll(): NonNullable<Intake['poll']> {
    const watch = webhookSecret === undefined ? null : createWebhookWatch(api, destination, options)
    const pollOrders = createOrderPoll({
      async read(after, page, signal) {
        const query = {
          modified_after: formatSeconds(after),
          dates_are_gmt: 'true',
          status: statusesOf(options).join(','),
          orderby: 'modified',
          order: 'asc',
          per_page: String(PAGE_SIZE),
          page: String(page),
        }
        const answer = await api.get('/orders', query, z.array(z.unknown()), signal)
        return { orders: answer.value, more: page < lastPage(answer, page) }
      },
      changedAt: (order) => Date.parse(`${textOf(order, 'date_modified_gmt')}Z`),
      itemsOf: listedItems,
    })
    return async (cursor, question) => {
      const page = await pollOrders(cursor, question)
      const watched = page.more ? null : await watch?.(question.signal)
      return { ...page, ...watched, items: [...page.items, ...(watched?.items ?? [])] }
    }
  }

  /** An unreadable order is refused, without `orderNo`; the others go on. */
  async function listedItems(listed: unknown, signal: AbortSignal): Promise<IntakeItem[]> {
    const order = WholeOrder.safeParse(listed)
    if (order.success) return await itemsOf(order.data, signal)
    const theirId = textOf(listed, 'id')
    const unreadable = [...new Set(order.error.issues.map(({ path }) => path.join('.')))]
    const key = `order/${theirId ?? digestOf(listed)}/${textOf(listed, 'date_modified_gmt') ?? ''}/unreadable`
    return [
      { resource: 'orders', key, theirId, place: null, value: { ofTheShop: textOf(listed, 'number'), unreadable } },
    ]
  }
}

const PING = /^webhook_id=\d{1,20}$/

/** Base64 of HMAC-SHA256 over the raw body. */
function createVerify(secret: string): (request: IntakeRequest) => boolean {
  return (request) => {
    const signature = Buffer.from(request.headers['x-wc-webhook-signature'] ?? '', 'base64')
    const right = createHmac('sha256', secret).update(request.body).digest()
    return signature.length === right.length && timingSafeEqual(signature, right)
  }
}

/** WooCommerce tests a new webhook with this unsigned form. */
function isPing({ headers, body }: IntakeRequest): boolean {
  return (
    headers['x-wc-webhook-topic'] === undefined && body.length < 40 && PING.test(Buffer.from(body).toString('latin1'))
  )
}

function readBody<T>(schema: z.ZodType<T>, topic: string, { body }: IntakeRequest): T {
  const result = schema.safeParse(parsed(body, topic))
  if (result.success) return result.data
  const fields = result.error.issues.map(({ path }) => path.join('.') || 'the whole').join(', ')
  throw new Error(`The webhook ${topic} is not as WooCommerce sends it: ${fields}. Is it set to REST API version 3?`)
}

function parsed(body: Uint8Array, topic: string): unknown {
  try {
    return parseWithIds(Buffer.from(body).toString())
  } catch {
    throw new Error(`The webhook ${topic} has no JSON as its body.`)
  }
}

const Listed = list(z.object({ id, status: text, topic: text, delivery_url: text }))

/** `order.updated (7)`: disabled after failed deliveries. Only a shop manager may list webhooks. */
export async function disabledWebhooks(api: ShopApi, destination: string, signal: AbortSignal): Promise<string[]> {
  const { value } = await api.get('/webhooks', { per_page: '100', status: 'all' }, Listed, signal)
  return value
    .filter(({ status, delivery_url }) => {
      const path = delivery_url === null ? null : URL.parse(delivery_url)?.pathname
      return status === 'disabled' && path?.endsWith(`/intake/${destination}`)
    })
    .map(({ id: number, topic }) => `${topic ?? 'without topic'} (${number})`)
}

const EVERY = 10 * 60_000

/** Milliseconds. */
const BACK = 7 * 86_400_000
const MAX_PAGES = 20

type Watched = Pick<Awaited<ReturnType<NonNullable<Intake['poll']>>>, 'items' | 'problem'>

/** Orders come by the poll; accounts are read here while their webhook is disabled. */
function createWebhookWatch(
  api: ShopApi,
  destination: string,
  { handsOver }: Pick<WooCommerceOptions, 'handsOver'>,
): (signal: AbortSignal) => Promise<Watched> {
  let lookedAt = Number.NEGATIVE_INFINITY
  let problem: Pick<Watched, 'problem'> = {}

  return async (signal) => {
    if (Date.now() - lookedAt < EVERY) return { items: [], ...problem }
    const disabled = await disabledWebhooks(api, destination, signal).catch(() => [])
    lookedAt = Date.now()
    problem =
      disabled.length === 0
        ? {}
        : {
            problem: `WooCommerce has turned off its webhooks after failed deliveries: ${disabled.join(', ')}. Set them to Active under WooCommerce → Settings → Advanced → Webhooks`,
          }
    const isCustomers = handsOver.includes('customers') && disabled.some((webhook) => webhook.startsWith('customer.'))
    return { items: isCustomers ? await accounts(signal).catch(() => []) : [], ...problem }
  }

  async function accounts(signal: AbortSignal): Promise<IntakeItem[]> {
    const since = Date.now() - BACK
    const items: IntakeItem[] = []
    const query = { orderby: 'registered_date', order: 'desc' }
    for await (const page of pagesOf(api, '/customers', query, z.unknown(), { signal, most: MAX_PAGES }))
      for (const one of page) {
        const changed = Date.parse(`${textOf(one, 'date_modified_gmt') ?? textOf(one, 'date_created_gmt')}Z`)
        const account = ShopCustomer.safeParse(one)
        if (changed >= since && account.success) items.push(...customerItems(account.data))
      }
    return items
  }
}

interface Errand {
  type: 'pickup' | 'ship'
  /** The store by the shop's name for it. */
  place: string | null
}

/** By meta data `storeMeta`, else the pickup location, else the instance of the older local pickup. Null: no store is involved. */
function errandOf(order: WholeOrder, { pickup, storeMeta }: WooCommerceOptions): Errand | null {
  const named = storeMeta === undefined ? null : metaOf(order, storeMeta)?.trim() || null
  const line = order.shipping_lines.find(({ method_id }) => method_id !== null && pickup.methods.includes(method_id))
  if (!line) return named === null ? null : { type: 'ship', place: named }
  const instance = line.instance_id === '0' ? null : line.instance_id
  return { type: 'pickup', place: named ?? metaOf(line, 'pickup_location') ?? instance ?? line.method_title }
}

interface SoldLine {
  line: ShopLine
  quantity: number
  cost: Money
}

/** Goods that were not refunded. Money refunded without a line reduces all of them. */
function soldLines(order: WholeOrder, refunds: readonly ShopRefund[]): SoldLine[] {
  const { currency } = order
  const kept = order.line_items.flatMap((line) => keptOf(line, refunds, currency) ?? [])
  const discount = refunds.map((refund) => ofNoLine(refund, currency)).reduce(addMoney, discountOf(order, refunds))
  const costs = afterDiscount(
    kept.map(({ cost }) => cost),
    discount,
  )
  return kept.map((one, index) => ({ ...one, cost: costs[index] ?? one.cost }))
}

/** Null: all was refunded. Money refunded without pieces reduces the rest. */
function keptOf(line: ShopLine, refunds: readonly ShopRefund[], currency: string): SoldLine | null {
  const own = refundsOfLine(line.id, refunds)
  const whole = costOf(line, currency)
  if (own.length === 0) return { line, quantity: line.quantity, cost: whole }
  const pieces = piecesBack(line.id, refunds)
  const quantity = line.quantity - pieces
  if (quantity <= 0) return null
  const atPrice = shareOf(whole, quantity, pieces)
  const paid = addMoney(whole, sumOfCosts(own, currency))
  return { line, quantity, cost: notBelowZero(compareDecimals(paid.amount, atPrice.amount) < 0 ? paid : atPrice) }
}

function ofNoLine({ amount, line_items, shipping_lines, fee_lines }: ShopRefund, currency: string): Money {
  const named = sumOfCosts([...line_items, ...shipping_lines, ...fee_lines], currency)
  return notBelowZero(addMoney(money(amount, currency), named))
}

const UNSPECIFIED = 99
const ZERO = parseDecimal(0)

/** The payment is the sum of the lines (facts §5): shipping and fees are a line only with `freightGtin`. */
function saleOf(
  order: WholeOrder,
  { freightGtin, creditPayment }: Pick<WooCommerceOptions, 'freightGtin' | 'creditPayment'>,
  refunds: readonly ShopRefund[] = [],
): Record<string, unknown> | null {
  const { currency } = order
  const goods = soldLines(order, refunds).flatMap(({ line, quantity: pieces, cost }) =>
    piecesOf(cost, pieces).map(({ price, quantity }) => ({ identity: gtinOf(line), price, qty: quantity })),
  )
  const sold = sumDecimals(goods.map(({ price, qty }) => multiplyDecimals(price, qty)))
  const back = sumDecimals(refunds.map(({ amount }) => parseDecimal(amount)))
  const credit = creditOf(order)?.amount ?? ZERO
  const paid = sumDecimals([money(order.total, currency).amount, credit])
  const rest = subtractDecimals(subtractDecimals(paid, back), sold)
  const salesLines = [...goods, ...(freightGtin === undefined ? [] : freightLine(freightGtin, rest))]
  if (salesLines.length === 0) return null
  const amount = sumDecimals(salesLines.map(({ price, qty }) => multiplyDecimals(price, qty)))
  const country = (order.billing.country ?? order.shipping.country ?? '').toUpperCase()
  const at = order.date_paid_gmt ?? order.date_completed_gmt ?? order.date_created_gmt
  return {
    orderNo: order.number,
    ...(/^[A-Z]{2}$/.test(country) && { country }),
    saleDateTime: `${at}Z`,
    customer: buyerOf(order),
    salesLines,
    paymentLines: payments(),
  }

  function payments() {
    const byCredit = compareDecimals(credit, amount) < 0 ? credit : amount
    const others = subtractDecimals(amount, byCredit)
    if (byCredit === ZERO) return [{ amount, paymentType: UNSPECIFIED, currency }]
    return [
      ...(others === ZERO ? [] : [{ amount: others, paymentType: UNSPECIFIED, currency }]),
      { amount: byCredit, paymentType: creditPayment?.paymentType ?? UNSPECIFIED, currency },
    ]
  }
}

function freightLine(identity: string, rest: typeof ZERO) {
  const way = compareDecimals(rest, ZERO)
  if (way === 0) return []
  const price = way < 0 ? subtractDecimals(ZERO, rest) : rest
  return [{ identity, price, qty: parseDecimal(way < 0 ? -1 : 1) }]
}

/** No shipping address: pickup; no payment lines: paid in the store (spec, "Omnichannel order"). Null: all was refunded. */
export function storeOrder(
  order: WholeOrder,
  { type }: Errand,
  options: WooCommerceOptions,
  refunds: readonly ShopRefund[] = [],
): Record<string, unknown> | null {
  const { billing, shipping, currency } = order
  const [ordered, lines] = [orderedLines(order), orderedLines(order, refunds)]
  if (lines.length === 0 && ordered.length > 0) return null
  const [buyer, receiver] = [contactOf(billing), contactOf(shipping)]
  const { phone } = contactOf({ phone: shipping.phone, country: shipping.country ?? billing.country })
  const paid = wasPaid({ options }, order)
  return given({
    orderNo: order.number,
    saleDateTime: placedAt(order),
    customer: orderCustomer({
      ...buyer,
      firstName: buyer.firstName ?? receiver.firstName,
      lastName: buyer.lastName ?? receiver.lastName,
      phone: buyer.phone ?? phone,
    }),
    billingAddress: orderAddress(buyer),
    shippingAddress: type === 'ship' ? (orderAddress(receiver) ?? orderAddress(buyer)) : null,
    orderLines: lines.flatMap((line) =>
      piecesOf(line.cost, line.quantity).map((pieces) => ({ gtin: gtinOf(line), ...pieces })),
    ),
    currency,
    paymentLines: paid ? payments() : null,
  })

  function payments() {
    const credit = creditOf(order)
    const all = [
      { amount: amountPaid(), currency, type: paymentOf(order) },
      ...(credit ? [{ amount: credit.amount, currency, type: options.creditPayment?.type }] : []),
    ]
    return credit ? all.filter(({ amount }) => amount !== parseDecimal(0)) : all
  }

  function amountPaid() {
    const cost = (some: readonly OrderedLine[]) => some.map((line) => line.cost).reduce(addMoney, money(0, currency))
    if (refunds.length === 0) return parseDecimal(order.total)
    return subtractMoney(money(order.total, currency), subtractMoney(cost(ordered), cost(lines))).amount
  }
}

/** For a store: the order, or its cancellation. Else a sale, if completed. */
function orderItems(given: WholeOrder, options: WooCommerceOptions, refunds: readonly ShopRefund[] = []): IntakeItem[] {
  if (isOfPos(given)) return []
  const { order, notes } = withoutContainers(given)
  const errand = errandOf(order, options)
  const ofPeople = refunds.filter(isOfPeople)
  const item = (resource: IntakeItem['resource'], value: Record<string, unknown>, faults: string[] = []) => ({
    resource,
    key: `order/${order.id}/${order.date_modified_gmt ?? order.date_created_gmt ?? ''}/${order.status}`,
    theirId: String(order.id),
    place: errand?.place ?? null,
    value: notes.length === 0 || resource === 'cancellations' ? value : { ...value, comment: notes.join('; ') },
    ...timesOf(order, resource === 'sales'),
    ...(faults.length > 0 && { faults }),
  })
  if (!errand) {
    const before = ofPeople.filter(wasBefore(order))
    const sale = isSold(order, options) ? saleOf(order, options, before) : null
    return sale ? [item('sales', sale, moneyFaults(given, options, before))] : []
  }
  if (!options.handsOver.includes('orders')) return []
  const off = item('cancellations', { orderNo: order.number })
  if (!isToDo(order, options)) return isCalledOff(order) ? [off] : []
  const value = storeOrder(order, errand, options, ofPeople)
  if (value === null) return [off]
  const isNowhere = errand.type === 'ship' && !value.shippingAddress
  const isUnpaid = !value.paymentLines && creditOf(order) !== null
  const faults = moneyFaults(given, options, ofPeople)
  return [item('orders', value, [...(isNowhere ? [NO_ADDRESS] : []), ...faults, ...(isUnpaid ? [UNPAID_CREDIT] : [])])]
}

function asksForRefunds(order: WholeOrder, options: WooCommerceOptions): boolean {
  if (isOfPos(order) || !order.refunds.some(isOfPeople)) return false
  if (errandOf(order, options) === null) return isSold(order, options)
  return options.handsOver.includes('orders') && isToDo(order, options)
}

function statusesOf({ paidStatuses }: WooCommerceOptions): string[] {
  return [...new Set([...paidStatuses, 'on-hold', 'completed', ...OFF])]
}

function moneyFaults(
  order: WholeOrder,
  { creditPayment }: WooCommerceOptions,
  refunds: readonly ShopRefund[],
): string[] {
  const { number, total, currency } = order
  const credit = creditOf(order)
  const faults: string[] = []
  if (credit) {
    const what = `the total of order ${number}, ${total} ${currency}, is ${amountText(credit)} ${currency} below what its lines, shipping and fees cost`
    if (!creditPayment)
      faults.push(
        `${what}: a gift card or store credit, it seems. Say with creditPayment of this destination in config which payment that is, then save the order in the shop once more`,
      )
    if (refunds.length > 0)
      faults.push(
        `${what}, and some was refunded: how much of that the gift card or store credit had paid cannot be told`,
      )
  }
  if (refundsContainer(order, refunds))
    faults.push(`money of a bundle of order ${number} was refunded: for which of its articles cannot be told`)
  return faults
}

const UNPAID_CREDIT =
  'a gift card or store credit has paid a part of an order whose rest is to be paid in the store, and an order for a store is paid or is not: call the store'

const NO_ADDRESS =
  'shipping and billing: no address that can be read, and a store is to send the order: put it right in the shop and save the order there once more'

const OUR_REFERENCE = /\[[\da-f]{12}\]$/
const OFF = ['cancelled', 'failed', 'refunded', 'trash']

function isSold({ status }: WholeOrder, { handsOver }: WooCommerceOptions): boolean {
  return status === 'completed' && handsOver.includes('sales')
}

/** Goods refunded before the completion were not sold; without a time, they count as before. */
function wasBefore({ date_completed_gmt: completed }: WholeOrder) {
  return ({ date_created_gmt: at }: ShopRefund) => !isTime(at) || !isTime(completed) || at <= completed
}

function isToDo({ status, payment_method }: WholeOrder, { paidStatuses, payInStore }: WooCommerceOptions): boolean {
  return paidStatuses.includes(status) || (status === 'on-hold' && payInStore.includes(payment_method ?? ''))
}

/** Not if we ended it, or if the customer had it. */
function isCalledOff(order: WholeOrder): boolean {
  if (!OFF.includes(order.status)) return false
  const had = Boolean(order.date_completed_gmt) || metaOf(order, META.collected) !== null
  const isRefundedByUs = order.refunds.length > 0 && !order.refunds.some(isOfPeople)
  return !had && metaOf(order, META.expired) === null && !(order.status === 'refunded' && isRefundedByUs)
}

/** Reasons of the hub's refunds end with a reference. */
function isOfPeople({ reason }: { reason?: string | null }): boolean {
  return !OUR_REFERENCE.test(reason ?? '')
}

function timesOf({ date_modified_gmt: changed, date_completed_gmt: completed }: WholeOrder, isSale: boolean) {
  return {
    ...(isTime(changed) && { changedAt: `${changed}Z` }),
    ...(isSale && isTime(completed) && { completedAt: `${completed}Z` }),
  }
}

function isTime(at: string | null | undefined): at is string {
  return Boolean(at) && !Number.isNaN(Date.parse(`${at}Z`))
}

function buyerOf({ id, customer_id, billing }: WholeOrder): Record<string, unknown> {
  const guest = billing.email?.toLowerCase() ?? `order-${id}`
  return saleCustomer(customer_id ? String(customer_id) : guest, contactOf(billing))
}
