import { defineAdapter } from '../adapter.ts'
import { createLookPlaces } from '../look-places.ts'
import { createShopApi } from './api.ts'
import { createWooCustomers } from './customers.ts'
import { examineShop } from './examine.ts'
import type { OrderPages } from './find-order.ts'
import { createWooIntake } from './intake.ts'
import { WooCommerceOptions } from './options.ts'
import { createWooOrders } from './orders.ts'
import { createWooSearch } from './search.ts'
import { createWooStock } from './stock.ts'

/** A WooCommerce shop, by its REST API v3. */
export default defineAdapter({
  name: 'woocommerce',
  options: WooCommerceOptions,
  create(options, context) {
    const { destination } = context
    const api = createShopApi(options, context)
    const looks = createLookPlaces<OrderPages>()
    const desk = { api, options, destination, looks }
    const orders = { ...createWooOrders(desk), search: createWooSearch(api, options) }
    const ports = { orders, customers: createWooCustomers(api), stock: createWooStock(api) }
    const intake = createWooIntake(api, options)
    return {
      ports,
      ...(intake && { intake }),
      examine: ({ signal }) => examineShop(api, signal),
      [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
    }
  },
})
