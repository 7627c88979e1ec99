import { argumentOf, type Input, numberOf, textOf, textOrNull } from './argument.ts'
import type { Books } from './books.ts'
import { countryOf } from './countries.ts'
import { customerFrom } from './customers.ts'
import { GraphqlFault, type Refused, refused } from './fault.ts'
import { newLine, type Order } from './order.ts'
import type { OrderAddress } from './records.ts'
import { saleable } from './stock.ts'

/** Fields of mutations that make an order out of nothing. */
export function createDrafts(books: Books) {
  function draft(given: Input): Order {
    const order = books.order(textOf(given, 'orderId'))
    if (order.state === 'Draft') return order
    throw new GraphqlFault('The order is no draft', 'ILLEGAL_OPERATION')
  }

  return {
    createDraftOrder: () => books.addOrder(),
    deleteDraftOrder(given: Input) {
      const id = textOf(given, 'orderId')
      const index = books.orders.findIndex((order) => order.id === id && order.state === 'Draft')
      if (index >= 0) books.orders.splice(index, 1)
      return { result: index >= 0 ? 'DELETED' : 'NOT_DELETED' }
    },
    setDraftOrderCustomFields(given: Input) {
      const order = draft(given)
      Object.assign(order.customFields, argumentOf(given.input, 'customFields'))
      return order
    },
    addItemToDraftOrder(given: Input): Order | Refused {
      const order = draft(given)
      const variant = books.variant(textOf(given.input, 'productVariantId'))
      const wanted = numberOf(given.input, 'quantity')
      if (wanted < 0) return refused('NegativeQuantityError')
      const before = order.lines.find(({ productVariant }) => productVariant === variant)
      const quantity = Math.min(wanted, Math.max(0, saleable(variant) - (before?.quantity ?? 0)))
      if (before) before.quantity += quantity
      else if (quantity > 0) order.lines.push(newLine(books.nextId(), variant, quantity))
      return quantity < wanted ? refused('InsufficientStockError', { quantityAvailable: quantity }) : order
    },
    setCustomerForDraftOrder(given: Input): Order | Refused {
      const order = draft(given)
      const id = textOrNull(given, 'customerId')
      const known = books.customers.find((customer) => customer.id === id)
      if (id !== null && !known) throw new GraphqlFault('No customer with this id was found', 'USER_INPUT_ERROR')
      order.customer = known ?? customerFrom(books, argumentOf(given, 'input'))
      return order
    },
    setDraftOrderShippingAddress(given: Input) {
      const order = draft(given)
      order.shippingAddress = addressFrom(argumentOf(given, 'input'))
      return order
    },
    setDraftOrderBillingAddress(given: Input) {
      const order = draft(given)
      order.billingAddress = addressFrom(argumentOf(given, 'input'))
      return order
    },
    setDraftOrderShippingMethod(given: Input): Order | Refused {
      const order = draft(given)
      const id = textOf(given, 'shippingMethodId')
      const shippingMethod = books.shippingMethods.find((method) => method.id === id)
      if (!shippingMethod) return refused('IneligibleShippingMethodError')
      order.shippingLines = [{ shippingMethod }]
      return order
    },
  }
}

function addressFrom(input: Input): OrderAddress {
  const names = ['fullName', 'company', 'streetLine1', 'streetLine2', 'city', 'province', 'postalCode', 'phoneNumber']
  const countryCode = textOf(input, 'countryCode')
  const written = Object.fromEntries(names.map((name) => [name, textOrNull(input, name)]))
  return { ...written, countryCode, country: countryOf(countryCode) }
}
