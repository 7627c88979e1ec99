import { notFound } from './fault.ts'
import { Order } from './order.ts'
import type { Customer, Fulfilment, Method, Payment, Refund, TrackInventory, Variant } from './records.ts'

export interface Article {
  sku: string
  gtin: string | null
  name: string
  /** With 25 % tax, in øre. */
  price: number
  stock: number
  /** `INHERIT` where it is left out. */
  trackInventory?: TrackInventory
}

/** What a payment service is asked for, by the names of Vendure's handlers. */
export type ServiceCall = 'settlePayment' | 'cancelPayment' | 'createRefund'

export interface Books {
  variants: Variant[]
  settings: { trackInventory: boolean }
  locations: { id: string; name: string }[]
  shippingMethods: Method[]
  paymentMethods: { code: string }[]
  /** What the payment service refuses at the next call of it. */
  refusals: ServiceCall[]
  customers: Customer[]
  deletedCustomers: Customer[]
  orders: Order[]
  nextId(): string
  order(id: string): Order
  variant(id: string): Variant
  payment(id: string): { order: Order; payment: Payment }
  refund(id: string): { order: Order; refund: Refund }
  fulfilment(id: string): { order: Order; fulfilment: Fulfilment }
  addOrder(): Order
}

export function createBooks(articles: readonly Article[], locations: readonly string[]): Books {
  let last = 100
  const nextId = () => {
    last += 1
    return String(last)
  }
  const named = locations.map((name) => ({ id: nextId(), name }))
  const orders: Order[] = []
  const variants = articles.map(({ sku, gtin, name, price, stock, trackInventory = 'INHERIT' as const }) => ({
    ...{ id: nextId(), sku, name, price, customFields: { gtin }, trackInventory },
    stockLevels: named.map(({ id }, index) => ({
      stockLocationId: id,
      stockOnHand: index === 0 ? stock : 0,
      stockAllocated: 0,
    })),
  }))
  return {
    variants,
    settings: { trackInventory: true },
    locations: named,
    shippingMethods: ['standard', 'pickup'].map((code) => ({ id: nextId(), code, priceWithTax: 0 })),
    paymentMethods: [{ code: 'card' }],
    refusals: [],
    customers: [],
    deletedCustomers: [],
    orders,
    nextId,
    order: (id) => orders.find((order) => order.id === id) ?? missing('Order', id),
    variant: (id) => variants.find((variant) => variant.id === id) ?? missing('ProductVariant', id),
    payment(id) {
      for (const order of orders) for (const payment of order.payments) if (payment.id === id) return { order, payment }
      return missing('Payment', id)
    },
    refund(id) {
      for (const order of orders)
        for (const { refunds } of order.payments)
          for (const refund of refunds) if (refund.id === id) return { order, refund }
      return missing('Refund', id)
    },
    fulfilment(id) {
      for (const order of orders)
        for (const fulfilment of order.fulfillments) if (fulfilment.id === id) return { order, fulfilment }
      return missing('Fulfillment', id)
    },
    addOrder() {
      const id = nextId()
      const order = new Order(id, `SANDBOX${id.padStart(9, '0')}`)
      orders.push(order)
      return order
    },
  }
}

function missing(what: string, id: string): never {
  throw notFound(what, id)
}
