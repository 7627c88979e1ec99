import { type Input, textOf } from './argument.ts'
import type { Books } from './books.ts'
import { listed } from './list.ts'

/** Fields of queries. */
export function createQueries(books: Books) {
  return {
    order: (given: Input) => books.orders.find(({ id }) => id === textOf(given, 'id')) ?? null,
    orders: (given: Input) => listed(books.orders, given.options),
    eligibleShippingMethodsForDraftOrder(given: Input) {
      books.order(textOf(given, 'orderId'))
      return books.shippingMethods
    },
    paymentMethods: (given: Input) => listed(books.paymentMethods, given.options),
    productVariants: (given: Input) => listed(books.variants, given.options),
    globalSettings: () => books.settings,
    stockLocations: (given: Input) => listed(books.locations, given.options),
    customers: (given: Input) => listed(books.customers, given.options),
  }
}
