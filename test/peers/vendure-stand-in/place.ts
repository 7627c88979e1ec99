import type { Books } from './books.ts'
import { customerFrom } from './customers.ts'
import { newLine, type Order } from './order.ts'
import { movePayment } from './payment-states.ts'
import { moveOrder } from './states.ts'

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
