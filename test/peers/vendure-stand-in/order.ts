import { argumentOf, filterBy, type Refused, refused } from './graphql.ts'

const TAX = 25

/** An order; its sums follow from what is in it. */
export class Order {
  readonly id: string
  readonly code: string
  readonly createdAt: string
  updatedAt: string
  state = 'Draft'
  type = 'Regular'
  orderPlacedAt: string | null = null
  readonly currencyCode = 'NOK'
  customer: Customer | null = null
  shippingAddress: OrderAddress | null = null
  billingAddress: OrderAddress | null = null
  lines: Line[] = []
  surcharges: { description: string; sku: string | null; priceWithTax: number }[] = []
  shippingLines: { shippingMethod: Method }[] = []
  payments: Payment[] = []
  fulfillments: Fulfilment[] = []
  entries: HistoryEntry[] = []
  customFields: { posNumber: string | null; pickupStore: string | null } = { posNumber: null, pickupStore: null }

  constructor(id: string, code: string) {
    this.id = id
    this.code = code
    this.createdAt = new Date().toISOString()
    this.updatedAt = this.createdAt
  }

  get shippingWithTax(): number {
    return this.shippingLines.reduce((sum, { shippingMethod }) => sum + shippingMethod.priceWithTax, 0)
  }

  get totalWithTax(): number {
    const lines = this.lines.reduce((sum, line) => sum + line.proratedLinePriceWithTax, 0)
    return lines + this.shippingWithTax + this.surcharges.reduce((sum, { priceWithTax }) => sum + priceWithTax, 0)
  }

  get settled(): number {
    const taken = this.payments.filter(({ state }) => state === 'Settled')
    return taken.reduce((sum, payment) => sum + payment.amount - refundedOf(payment), 0)
  }

  history(given: Record<string, unknown>): { items: HistoryEntry[] } {
    const filter = argumentOf(given.options, 'filter')
    return { items: filterBy(this.entries, filter) }
  }

  line(id: string): Line | undefined {
    return this.lines.find((line) => line.id === id)
  }

  note(note: string, isPublic: boolean): void {
    this.entries.push({ type: 'ORDER_NOTE', isPublic, data: { note } })
  }
}

/** So many of a variant, at its own price. */
export function newLine(id: string, productVariant: Line['productVariant'], quantity: number): Line {
  return {
    id,
    productVariant,
    quantity,
    proratedUnitPriceWithTax: productVariant.price,
    get proratedLinePriceWithTax() {
      return this.proratedUnitPriceWithTax * this.quantity
    },
    taxRate: TAX,
    fulfillmentLines: [],
  }
}

/** How many of a line no fulfilment has yet. */
export function unfulfilled({ quantity, fulfillmentLines }: Line): number {
  return quantity - fulfillmentLines.reduce((sum, line) => sum + line.quantity, 0)
}

/** Where an order may go from each state, in Vendure's default process. */
const NEXT_OF_ORDER: Readonly<Record<string, readonly string[]>> = {
  Draft: ['Cancelled', 'ArrangingPayment'],
  ArrangingPayment: ['PaymentAuthorized', 'PaymentSettled', 'AddingItems', 'Cancelled'],
  PaymentAuthorized: ['PaymentSettled', 'Cancelled', 'Modifying', 'ArrangingAdditionalPayment'],
  PaymentSettled: [
    ...['PartiallyDelivered', 'Delivered', 'PartiallyShipped', 'Shipped', 'Cancelled', 'Modifying'],
    'ArrangingAdditionalPayment',
  ],
  PartiallyShipped: ['Shipped', 'PartiallyDelivered', 'Cancelled', 'Modifying'],
  Shipped: ['PartiallyDelivered', 'Delivered', 'Cancelled', 'Modifying'],
  PartiallyDelivered: ['Delivered', 'Cancelled', 'Modifying'],
  Delivered: ['Cancelled'],
  Modifying: [
    ...['PaymentAuthorized', 'PaymentSettled', 'PartiallyShipped', 'Shipped', 'PartiallyDelivered'],
    'ArrangingAdditionalPayment',
  ],
  ArrangingAdditionalPayment: [
    ...['PaymentAuthorized', 'PaymentSettled', 'PartiallyShipped', 'Shipped', 'PartiallyDelivered', 'Cancelled'],
  ],
}

/** Moves an order on, where the process and what is in it let it. */
export function moveOrder(order: Order, state: string): Order | Refused {
  const why = NEXT_OF_ORDER[order.state]?.includes(state) ? hindrance(order, state) : 'no such transition'
  if (why !== null)
    return refused('OrderStateTransitionError', { transitionError: why, fromState: order.state, toState: state })
  const placed = order.orderPlacedAt === null && (state === 'PaymentAuthorized' || state === 'PaymentSettled')
  order.state = state
  order.updatedAt = new Date().toISOString()
  if (placed) {
    order.orderPlacedAt = order.updatedAt
    for (const { productVariant, quantity } of order.lines) allocate(productVariant, quantity)
  }
  return order
}

/** The state that its fulfilments bring an order to. */
export function followFulfilments(order: Order): void {
  const pieces = order.lines.reduce((sum, { quantity }) => sum + quantity, 0)
  const inState = (states: string[]) =>
    order.lines
      .flatMap(({ fulfillmentLines }) => fulfillmentLines)
      .filter(({ fulfillment }) => states.includes(fulfillment.state))
      .reduce((sum, { quantity }) => sum + quantity, 0)
  const delivered = inState(['Delivered'])
  const sent = inState(['Shipped', 'Delivered'])
  const part = delivered > 0 ? 'PartiallyDelivered' : 'PartiallyShipped'
  const state = delivered === pieces ? 'Delivered' : delivered === 0 && sent === pieces ? 'Shipped' : part
  if (sent > 0 && state !== order.state) moveOrder(order, state)
}

function hindrance(order: Order, state: string): string | null {
  if (state === 'ArrangingPayment') {
    if (order.lines.length === 0) return 'the order is empty'
    if (!order.customer) return 'the order has no customer'
    if (order.shippingLines.length === 0) return 'the order has no shipping method'
  }
  if (state === 'PaymentSettled' && order.settled < order.totalWithTax) return 'the total is not covered'
  if (state === 'ArrangingAdditionalPayment' && order.settled >= order.totalWithTax) return 'nothing is left to pay'
  return null
}

/** Where a payment may go from each state, in Vendure's default process. */
const NEXT_OF_PAYMENT: Readonly<Record<string, readonly string[]>> = {
  Created: ['Authorized', 'Settled', 'Declined', 'Error', 'Cancelled'],
  Authorized: ['Settled', 'Error', 'Cancelled'],
  Settled: ['Cancelled'],
  Declined: ['Cancelled'],
  Error: ['Cancelled'],
}

/** Moves a payment on, where the process lets it; the order's history tells of it. One that stays where it is says nothing. */
export function movePayment(order: Order, payment: Payment, to: string): Payment | Refused {
  const { id, state: from } = payment
  if (from === to) return payment
  if (!NEXT_OF_PAYMENT[from]?.includes(to))
    return refused('PaymentStateTransitionError', {
      ...{ transitionError: 'no such transition', fromState: from, toState: to },
    })
  payment.state = to
  order.entries.push({ type: 'ORDER_PAYMENT_TRANSITION', isPublic: true, data: { paymentId: Number(id), from, to } })
  return payment
}

/** How many can still be sold. */
export function saleable({ stockLevels }: Variant): number {
  return stockLevels.reduce((sum, { stockOnHand, stockAllocated }) => sum + stockOnHand - stockAllocated, 0)
}

/** Keeps so many for an order, or lets them go (below 0). All is kept at the first location. */
export function allocate({ stockLevels }: Variant, quantity: number): void {
  const [level] = stockLevels
  if (level) level.stockAllocated += quantity
}

export function take(variant: Variant, quantity: number): void {
  const [level] = variant.stockLevels
  if (!level) return
  allocate(variant, -quantity)
  level.stockOnHand -= quantity
}

/* What the stand-in keeps, in the words of the Admin API. Ids are numbers as text, times ISO 8601. */

export interface Variant {
  id: string
  sku: string
  name: string
  price: number
  customFields: { gtin: string | null }
  trackInventory: TrackInventory
  stockLevels: StockLevel[]
}

/** `INHERIT`: as the settings of the shop have it. */
export type TrackInventory = 'TRUE' | 'FALSE' | 'INHERIT'

interface StockLevel {
  stockLocationId: string
  stockOnHand: number
  stockAllocated: number
}

export interface Line {
  id: string
  productVariant: Variant
  quantity: number
  proratedUnitPriceWithTax: number
  readonly proratedLinePriceWithTax: number
  taxRate: number
  fulfillmentLines: { quantity: number; fulfillment: Fulfilment }[]
}

export interface Fulfilment {
  updatedAt: string
  id: string
  state: string
  trackingCode: string | null
}

export interface Refund {
  id: string
  total: number
  state: string
  reason: string | null
  transactionId: string | null
  lines: { orderLineId: string; quantity: number }[]
}

export interface Payment {
  id: string
  method: string
  amount: number
  state: string
  transactionId: string | null
  metadata: unknown
  refunds: Refund[]
}

export interface Customer {
  id: string
  firstName: string
  lastName: string
  emailAddress: string
  phoneNumber: string | null
  addresses: Address[]
  notes: CustomerNote[]
}

export interface CustomerNote {
  id: string
  type: 'CUSTOMER_NOTE'
  isPublic: boolean
  data: { note: string }
}

export interface Address {
  id: string
  fullName: string | null
  company: string | null
  streetLine1: string
  city: string | null
  postalCode: string | null
  country: { code: string }
  phoneNumber: string | null
  defaultBillingAddress: boolean
}

interface HistoryEntry {
  type: 'ORDER_NOTE' | 'ORDER_CANCELLATION' | 'ORDER_PAYMENT_TRANSITION'
  isPublic: boolean
  data: Record<string, unknown>
}

export type OrderAddress = Record<string, string | null>

export interface Method {
  id: string
  code: string
  priceWithTax: number
}

/** How much of a payment was refunded, or is about to be. */
export function refundedOf({ refunds }: Payment): number {
  return refunds.filter(({ state }) => state !== 'Failed').reduce((sum, { total }) => sum + total, 0)
}
