import type { IntakeItem } from '../../../ports/intake.ts'
import type { WooCommerceOptions } from '../options.ts'
import { META, metaOf, type ShopRefund } from '../people/shop-order.ts'
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
  order: WholeOrder,
  options: WooCommerceOptions,
  refunds: readonly ShopRefund[] = [],
): IntakeItem[] {
  if (isOfTill(order)) return []
  const errand = errandOf(order, options)
  const place = errand?.place ?? null
  const whole = (resource: IntakeItem['resource'], value: Record<string, unknown> | null): IntakeItem[] =>
    value === null ? [] : [{ resource, key: keyOf(order), theirId: String(order.id), place, value, ...changeOf(order) }]
  const ofPeople = refunds.filter(isOfPeople)
  if (!errand) {
    if (!isSold(order, options)) return []
    const sale = saleOf(order, options.freightGtin, ofPeople.filter(wasBefore(order)))
    return whole('sales', sale).map((item) => ({ ...item, ...completionOf(order) }))
  }
  if (!options.handsOver.includes('orders')) return []
  const off = () => whole('cancellations', { orderNo: order.number })
  if (!isToDo(order, options)) return isCalledOff(order) ? off() : []
  const value = storeOrder(order, errand, options, ofPeople)
  if (value === null) return off()
  const isSent = errand.type === 'ship'
  return whole('orders', value).map((item) =>
    isSent && !value.shippingAddress ? { ...item, faults: [NO_ADDRESS] } : item,
  )
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
function isOfPeople({ reason }: Pick<ShopRefund, 'reason'>): boolean {
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
