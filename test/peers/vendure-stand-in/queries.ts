import { argumentOf, type Input, textOf } from './argument.ts'
import type { Books } from './books.ts'
import { filterBy, listed } from './list.ts'
import type { Customer } from './records.ts'

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
    customers(given: Input) {
      const { items, totalItems } = listed(books.customers, given.options)
      return { items: items.map(withHistory), totalItems }
    },
  }
}

function withHistory(customer: Customer): object {
  return {
    ...customer,
    history: ({ options }: Input) => ({ items: filterBy(customer.notes, argumentOf(options, 'filter')) }),
  }
}
