import {
  addMoney,
  amountText,
  compareDecimals,
  type Money,
  money,
  multiplyDecimals,
  parseDecimal,
  subtractDecimals,
  subtractMoney,
  sumDecimals,
} from '../../domain/values/money.ts'
import type { IntakeItem } from '../../ports/intake.ts'
import { given, orderAddress, orderCustomer, saleCustomer } from '../shared/contact.ts'
import { piecesOf } from '../shared/shop-orders.ts'
import type { WooCommerceOptions } from './options.ts'
import { type OrderedLine, orderedLines, refundsContainer, withoutContainers } from './orders/lines.ts'
import { wasPaid } from './orders/order-context.ts'
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
  type WholeOrder,
} from './shop-order.ts'

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
export function orderItems(
  given: WholeOrder,
  options: WooCommerceOptions,
  refunds: readonly ShopRefund[] = [],
): IntakeItem[] {
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

export function asksForRefunds(order: WholeOrder, options: WooCommerceOptions): boolean {
  if (isOfPos(order) || !order.refunds.some(isOfPeople)) return false
  if (errandOf(order, options) === null) return isSold(order, options)
  return options.handsOver.includes('orders') && isToDo(order, options)
}

export function statusesOf({ paidStatuses }: WooCommerceOptions): string[] {
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
