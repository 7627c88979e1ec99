import { randomBytes } from 'node:crypto'
import { ZERO } from '../amount.ts'
import type { NextId } from '../ids.ts'
import type { Catalogue } from '../products/catalogue.ts'
import { createRefund, type RefundInput } from '../refunds/refunds.ts'
import { RestError } from '../rest-error.ts'
import type { SiteTime } from '../site-time.ts'
import { applyLines, applyMeta } from './lines.ts'
import { type Address, BILLING, type Note, type Order, type Refund, SHIPPING } from './order.ts'
import type { OrderInput } from './parameters.ts'
import { needsPayment } from './payment.ts'
import { addNote, completePayment, setStatus } from './status.ts'
import type { Taxes } from './tax.ts'
import { calculateTotals } from './totals.ts'

interface Means {
  catalogue: Catalogue
  taxes: Taxes
  currency: string
  time: SiteTime
  nextId: NextId
  numbering: (id: number) => string
  /** Whether there is somebody with this id. */
  hasCustomer(id: number): boolean
  /** Whether meta data with the name of a field of an address are that field. */
  addressesByMeta: boolean
}

/** The moment between the save of an order and its payment: a fault may strike there. */
interface Moments {
  saved(): Promise<void>
}

/** The shop's orders. */
export interface Orders {
  all(): Order[]
  get(id: number): Order | undefined
  /** Saves the order, then marks it as paid where `set_paid` asks for it: two steps, as in WooCommerce. */
  create(input: OrderInput, moments: Moments): Promise<Order>
  update(order: Order, input: OrderInput, moments: Moments): Promise<void>
  addNote(order: Order, text: string, forCustomer: boolean): Note
  /** Gives money back, or notes that it was refunded. */
  refund(order: Order, input: RefundInput, moments: Moments): Promise<Refund>
}

export function createOrders(means: Means): Orders {
  const { catalogue, taxes, time, nextId } = means
  const orders = new Map<number, Order>()
  const moment = () => ({ catalogue, nextId, now: time.now() })

  async function finish(order: Order, input: OrderInput, isNew: boolean, moments: Moments): Promise<void> {
    refuseCoupons(input)
    if (input.status) setStatus(order, input.status, moment())
    order.modifiedAt = time.now()
    await moments.saved()
    if (input.set_paid === true && (isNew || needsPayment(order))) {
      completePayment(order, input.transaction_id, moment())
      order.modifiedAt = time.now()
    }
  }

  return {
    all: () => [...orders.values()],
    get: (id) => orders.get(id),
    async create(input, moments) {
      const order = emptyOrder(means)
      apply(order, input, means)
      order.createdVia = input.created_via || 'rest-api'
      order.id = nextId()
      order.number = means.numbering(order.id)
      orders.set(order.id, order)
      calculateTotals(order, taxes, nextId)
      try {
        await finish(order, input, true, moments)
      } catch (error) {
        // An order refused after the first save stays behind as a draft that no list of orders shows.
        if (!(error instanceof RestError) || error.status !== 400) throw error
        order.status = 'checkout-draft'
        throw new RestError(400, error.code, error.message, { new_draft_order_id: order.id })
      }
      return order
    },
    async update(order, input, moments) {
      apply(order, input, means)
      const { billing, shipping, line_items, shipping_lines, fee_lines, coupon_lines } = input
      if (billing || shipping || line_items || shipping_lines || fee_lines || coupon_lines)
        calculateTotals(order, taxes, nextId)
      await finish(order, input, false, moments)
    },
    addNote: (order, text, forCustomer) => addNote(order, text, forCustomer, moment()),
    refund: (order, input, moments) => createRefund(order, input, moments, moment),
  }
}

/** Writes the plain fields and the lines; customer 0 is a guest. */
function apply(order: Order, input: OrderInput, means: Means): void {
  order.parentId = input.parent_id ?? order.parentId
  order.currency = input.currency ?? order.currency
  order.customerNote = input.customer_note ?? order.customerNote
  order.billing = written(order.billing, input.billing)
  order.shipping = written(order.shipping, input.shipping)
  order.paymentMethod = input.payment_method ?? order.paymentMethod
  order.paymentMethodTitle = input.payment_method_title ?? order.paymentMethodTitle
  order.transactionId = input.transaction_id ?? order.transactionId
  applyMeta(
    order.meta,
    (input.meta_data ?? []).filter((meta) => !means.addressesByMeta || !setsAddress(order, meta)),
    means.nextId,
  )
  applyLines(order, input, { ...means, now: means.time.now() })
  if (input.customer_id && !means.hasCustomer(input.customer_id))
    throw new RestError(400, 'woocommerce_rest_invalid_customer_id', 'Customer ID is invalid.')
  order.customerId = input.customer_id ?? order.customerId
}

/** Meta data with the name of a field of an address are that field; totals are not computed anew for it. */
function setsAddress(order: Order, { key = '', value }: { key?: string | undefined; value?: unknown }): boolean {
  const [, which, field] = /^_(billing|shipping)_(.+)$/.exec(key) ?? []
  if ((which !== 'billing' && which !== 'shipping') || field === undefined || !(field in order[which])) return false
  order[which] = { ...order[which], [field]: String(value ?? '') }
  return true
}

/** The shop has no coupons, so that each code is unknown. */
function refuseCoupons({ coupon_lines }: OrderInput): void {
  for (const { id, code } of coupon_lines ?? []) {
    if (id) throw new RestError(400, 'woocommerce_rest_coupon_item_id_readonly', 'Coupon item ID is readonly.')
    const reported = String(code ?? '').trim()
    const message = reported ? `Coupon "${reported.toLowerCase()}" does not exist!` : 'Coupon code is required.'
    throw new RestError(400, 'woocommerce_rest_invalid_coupon', message)
  }
}

function written(address: Address, input: Record<string, string | null | undefined> | null | undefined): Address {
  const given = Object.entries(input ?? {}).map(([field, value]) => [field, value ?? ''])
  return { ...address, ...Object.fromEntries(given) }
}

function emptyOrder({ taxes, currency, time }: Means): Order {
  const now = time.now()
  return {
    id: 0,
    number: '',
    key: `wc_order_${randomBytes(8).toString('hex').slice(0, 13)}`,
    parentId: 0,
    customerId: 0,
    status: 'pending',
    currency,
    createdVia: '',
    pricesIncludeTax: taxes !== 'off' && taxes.pricesIncludeTax,
    createdAt: now,
    modifiedAt: now,
    paidAt: null,
    completedAt: null,
    customerNote: '',
    billing: Object.fromEntries(BILLING.map((field) => [field, ''])),
    shipping: Object.fromEntries(SHIPPING.map((field) => [field, ''])),
    paymentMethod: '',
    paymentMethodTitle: '',
    transactionId: '',
    meta: [],
    lines: [],
    shippingLines: [],
    feeLines: [],
    taxLines: [],
    totals: {
      discountTotal: ZERO,
      discountTax: ZERO,
      shippingTotal: ZERO,
      shippingTax: ZERO,
      cartTax: ZERO,
      total: ZERO,
    },
    notes: [],
    refunds: [],
    stockReduced: false,
  }
}
