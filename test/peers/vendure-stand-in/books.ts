import { GraphqlFault, type Input, notFound, textOf, textOrNull } from './graphql.ts'
import {
  type Customer,
  type Method,
  moveOrder,
  movePayment,
  newLine,
  Order,
  type TrackInventory,
  type Variant,
} from './order.ts'

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

/** What the shop has, by the words of its Admin API. */
export type Books = ReturnType<typeof createBooks>

export function createBooks(articles: readonly Article[], locations: readonly string[]) {
  let last = 100
  const nextId = () => {
    last += 1
    return String(last)
  }
  const named = locations.map((name) => ({ id: nextId(), name }))
  const orders: Order[] = []
  const variants: Variant[] = articles.map(({ sku, gtin, name, price, stock, trackInventory = 'INHERIT' }) => ({
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
    shippingMethods: ['standard', 'pickup'].map((code): Method => ({ id: nextId(), code, priceWithTax: 0 })),
    paymentMethods: [{ code: 'card' }],
    /** What the payment service refuses at the next call of it. */
    refusals: [] as ServiceCall[],
    customers: [] as Customer[],
    deletedCustomers: [] as Customer[],
    orders,
    nextId,
    order: (id: string) => orders.find((order) => order.id === id) ?? missing('Order', id),
    variant: (id: string) => variants.find((variant) => variant.id === id) ?? missing('ProductVariant', id),
    payment(id: string) {
      for (const order of orders) for (const payment of order.payments) if (payment.id === id) return { order, payment }
      return missing('Payment', id)
    },
    refund(id: string) {
      const refunds = orders.flatMap(({ payments }) => payments).flatMap((payment) => payment.refunds)
      return refunds.find((refund) => refund.id === id) ?? missing('Refund', id)
    },
    fulfilment(id: string) {
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

export interface PlacedByCustomer {
  lines: { sku: string; quantity: number }[]
  shipping: string
  store: string | null
  customer: { emailAddress: string; firstName: string; lastName: string; phoneNumber: string }
  address: { streetLine1: string; city: string; postalCode: string; countryCode: string }
}

/** An order of the Shop API, paid by card: reserved, not taken. */
export function placeOrder(books: Books, { lines, shipping, store, customer, address }: PlacedByCustomer): Order {
  const order = books.addOrder()
  order.customFields.pickupStore = store
  order.customer = customerFrom(books, { ...customer })
  order.shippingAddress = { fullName: `${customer.firstName} ${customer.lastName}`, ...address }
  for (const { sku, quantity } of lines) {
    const variant = books.variants.find((one) => one.sku === sku)
    if (!variant) throw new Error(`The stand-in sells no ${sku}.`)
    order.lines.push(newLine(books.nextId(), variant, quantity))
  }
  const method = books.shippingMethods.find(({ code }) => code === shipping)
  if (!method) throw new Error(`The stand-in has no shipping method ${shipping}.`)
  order.shippingLines = [{ shippingMethod: method }]
  moveOrder(order, 'ArrangingPayment')
  const amount = order.totalWithTax
  const id = books.nextId()
  const payment = {
    id,
    method: 'card',
    amount,
    state: 'Created',
    transactionId: `card-${id}`,
    metadata: {},
    refunds: [],
  }
  order.payments.push(payment)
  movePayment(order, payment, 'Authorized')
  moveOrder(order, 'PaymentAuthorized')
  return order
}

const COUNTRIES: Readonly<Record<string, string>> = { NO: 'Norway', SE: 'Sweden' }

export function countryOf(code: string): string {
  const country = COUNTRIES[code]
  if (country !== undefined) return country
  throw new GraphqlFault(`The countryCode "${code}" was not recognized`, 'USER_INPUT_ERROR')
}

/** A guest: known by the e-mail address, with the newest name. */
export function customerFrom(books: Books, input: Input): Customer {
  const emailAddress = textOf(input, 'emailAddress').toLowerCase()
  const { firstName, lastName } = { firstName: textOf(input, 'firstName'), lastName: textOf(input, 'lastName') }
  const known = books.customers.find((one) => one.emailAddress === emailAddress)
  if (known) return Object.assign(known, { firstName, lastName })
  const phoneNumber = textOrNull(input, 'phoneNumber')
  const customer = { id: books.nextId(), firstName, lastName, emailAddress, phoneNumber, addresses: [], notes: [] }
  books.customers.push(customer)
  return customer
}
