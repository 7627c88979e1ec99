import { amountText } from '../../../domain/values/money.ts'
import type { IntakeItem } from '../../../ports/intake.ts'
import type { WooCommerceOptions } from '../options.ts'
import { refundsContainer, withoutContainers } from '../orders/bundles.ts'
import { META, metaOf, type ShopRefund } from '../people/shop-order.ts'
import { creditOf } from './credit.ts'
import { isOfTill, type WholeOrder } from './order.ts'
import { errandOf } from './place.ts'
import { saleOf } from './sale.ts'
import { storeOrder } from './store-order.ts'

/**
 * The meaning for the platform of an order of the shop, as it is now:
 *
 * - for a store, and to be carried out: an order. Of one that is paid in the store that is so while it is on hold, too;
 * - for a store, and off: a cancellation. Not of one that the store itself let go, or that its customer had;
 * - for nobody there, and completed: a sale;
 * - anything else, and whatever a till sold: nothing.
 *
 * `refunds`: where `asksForRefunds`, those of the order.
 */
export function orderItems(
  given: WholeOrder,
  options: WooCommerceOptions,
  refunds: readonly ShopRefund[] = [],
): IntakeItem[] {
  if (isOfTill(given)) return []
  const { order, notes } = withoutContainers(given)
  const errand = errandOf(order, options)
  const place = errand?.place ?? null
  const whole = (resource: IntakeItem['resource'], value: Record<string, unknown> | null): IntakeItem[] =>
    value === null ? [] : [{ resource, key: keyOf(order), theirId: String(order.id), place, value, ...changeOf(order) }]
  const noted = (value: Record<string, unknown> | null) =>
    value === null || notes.length === 0 ? value : { ...value, comment: notes.join('; ') }
  const ofPeople = refunds.filter(isOfPeople)
  if (!errand) {
    if (!isSold(order, options)) return []
    const before = ofPeople.filter(wasBefore(order))
    const sale = noted(saleOf(order, options, before))
    return withFaults(whole('sales', sale), moneyFaults(given, options, before)).map((item) => ({
      ...item,
      ...completionOf(order),
    }))
  }
  if (!options.handsOver.includes('orders')) return []
  const off = () => whole('cancellations', { orderNo: order.number })
  if (!isToDo(order, options)) return isCalledOff(order) ? off() : []
  const value = storeOrder(order, errand, options, ofPeople)
  if (value === null) return off()
  const isNowhere = errand.type === 'ship' && !value.shippingAddress
  const isUnpaid = !value.paymentLines && creditOf(order) !== null
  return withFaults(whole('orders', noted(value)), [
    ...(isNowhere ? [NO_ADDRESS] : []),
    ...moneyFaults(given, options, ofPeople),
    ...(isUnpaid ? [UNPAID_CREDIT] : []),
  ])
}

/**
 * Whether the order's refunds say what is left of it for a store, or what of it was sold: the shop's people gave something back. The
 * order tells their sums, not of which pieces.
 */
export function asksForRefunds(order: WholeOrder, options: WooCommerceOptions): boolean {
  if (isOfTill(order) || !order.refunds.some(isOfPeople)) return false
  if (errandOf(order, options) === null) return isSold(order, options)
  return options.handsOver.includes('orders') && isToDo(order, options)
}

/** Statuses that say something, for the list of the orders that changed. Others are left out there. */
export function statusesOf({ paidStatuses }: WooCommerceOptions): string[] {
  return [...new Set([...paidStatuses, 'on-hold', 'completed', ...OFF])]
}

function withFaults(items: IntakeItem[], faults: readonly string[]): IntakeItem[] {
  return faults.length === 0 ? items : items.map((item) => ({ ...item, faults }))
}

/** What cannot be told of an order's money: a person does. */
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

/** See reference.ts. */
const OUR_REFERENCE = /\[[\da-f]{12}\]$/

const OFF = ['cancelled', 'failed', 'refunded', 'trash']

function isSold({ status }: WholeOrder, { handsOver }: WooCommerceOptions): boolean {
  return status === 'completed' && handsOver.includes('sales')
}

/** What comes back after the completion was sold before; where a time is not told, a refund counts as one of before. */
function wasBefore({ date_completed_gmt: completed }: WholeOrder) {
  return ({ date_created_gmt: at }: ShopRefund) => !isTime(at) || !isTime(completed) || at <= completed
}

function isToDo({ status, payment_method }: WholeOrder, { paidStatuses, payInStore }: WooCommerceOptions): boolean {
  return paidStatuses.includes(status) || (status === 'on-hold' && payInStore.includes(payment_method ?? ''))
}

/**
 * Whether the shop called it off. What the store declined or nobody fetched, the shop was told by the platform; and one that
 * was completed and is refunded came back from its customer.
 */
function isCalledOff(order: WholeOrder): boolean {
  if (!OFF.includes(order.status)) return false
  const had = Boolean(order.date_completed_gmt) || metaOf(order, META.collected) !== null
  return !had && metaOf(order, META.expired) === null && !(order.status === 'refunded' && isRefundedByUs(order))
}

/** All that was given back was given back because the platform said so. */
function isRefundedByUs({ refunds }: WholeOrder): boolean {
  return refunds.length > 0 && !refunds.some(isOfPeople)
}

/** Each refund that is made because the platform says so ends with a reference of ours. */
export function isOfPeople({ reason }: { reason?: string | null }): boolean {
  return !OUR_REFERENCE.test(reason ?? '')
}

/** The shop's `_gmt` times are UTC without saying so. */
function changeOf({ date_modified_gmt: at }: WholeOrder): Pick<IntakeItem, 'changedAt'> {
  return isTime(at) ? { changedAt: `${at}Z` } : {}
}

/** An order that a plugin moved on may lack the date: then it is not said when it was completed, and it counts. */
function completionOf({ date_completed_gmt: at }: WholeOrder): Pick<IntakeItem, 'completedAt'> {
  return isTime(at) ? { completedAt: `${at}Z` } : {}
}

function isTime(at: string | null | undefined): at is string {
  return Boolean(at) && !Number.isNaN(Date.parse(`${at}Z`))
}

/** A state of an order: what it says changes with the date, and what it means with the status. */
function keyOf({ id, date_modified_gmt, date_created_gmt, status }: WholeOrder): string {
  return `order/${id}/${date_modified_gmt ?? date_created_gmt ?? ''}/${status}`
}
