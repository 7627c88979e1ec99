import { defineAdapter } from '../adapter.ts'
import { createLookPlaces } from '../shared/look-places.ts'
import { createShopApi } from './api.ts'
import { examineShop } from './examine.ts'
import { createWooIntake } from './intake/intake.ts'
import { WooCommerceOptions } from './options.ts'
import type { OrderPages } from './orders/find-order.ts'
import { createWooOrders } from './orders/orders.ts'
import { createWooCustomers } from './people/customers.ts'
import { createWooSearch } from './people/search.ts'
import { createWooStock } from './stock/stock.ts'

/** A WooCommerce shop, by its REST API v3. */
export default defineAdapter({
  name: 'woocommerce',
  options: WooCommerceOptions,
  create(options, context) {
    const { destination } = context
    const api = createShopApi(options, context)
    const looks = createLookPlaces<OrderPages>()
    const orders = { ...createWooOrders({ api, options, destination, looks }), search: createWooSearch(api, options) }
    const ports = {
      orders,
      customers: createWooCustomers(api),
      stock: createWooStock(api, { countVariations: options.countVariations }),
    }
    const intake = createWooIntake(api, options, destination)
    return {
      ports,
      ...(intake && { intake }),
      examine: ({ signal }) => examineShop(api, { destination, webhookSecret: options.webhookSecret }, signal),
      [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
    }
  },
})
