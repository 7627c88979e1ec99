import { defineAdapter } from '../adapter.ts'
import { createApi } from './asking/api.ts'
import { createBackOffice } from './back-office.ts'
import { createCustomers } from './customers.ts'
import { examineSystem } from './examine.ts'
import { RestOptions } from './options.ts'
import { createOrders } from './orders.ts'
import { createPoll } from './poll.ts'
import { createStock } from './stock.ts'

/** Any system with an API over HTTP: each method of a port is a request that config describes, mapped by JSONata. */
export default defineAdapter({
  name: 'rest',
  options: RestOptions,
  create(options, context) {
    const { destination } = context
    const { orders, customers, stock, backOffice, poll } = options
    const api = createApi(options, context)
    return {
      ports: {
        ...(orders && { orders: createOrders(api, orders, destination) }),
        ...(customers && { customers: createCustomers(api, customers, destination) }),
        ...(stock && { stock: createStock(api, stock, destination) }),
        ...(backOffice && { backOffice: createBackOffice(api, backOffice, destination) }),
      },
      ...(poll && { intake: createPoll(api, poll, destination) }),
      examine: ({ signal }) => examineSystem(api, options, signal),
      [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
    }
  },
})
