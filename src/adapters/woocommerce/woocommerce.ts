import { type Attempt, defineAdapter, type Effect, type OrdersPort } from '../adapter.ts'
import { createShopApi } from './api.ts'
import { complete } from './complete.ts'
import { findOrder } from './find-order.ts'
import { newOrder } from './new-order.ts'
import { WooCommerceOptions } from './options.ts'
import { findProducts } from './products.ts'
import { ShopOrder } from './shop-order.ts'
import { uncertainIfRefused } from './uncertain.ts'

/**
 * Orders of a WooCommerce shop, by its REST API v3. The shop has no idempotency key and no filter by meta data: an order
 * carries our key in its meta data, and is looked for in the list of the orders since the first try.
 */
export default defineAdapter({
  name: 'woocommerce',
  options: WooCommerceOptions,
  create(options, context) {
    const { destination } = context
    const api = createShopApi(options, context)
    const orders: OrdersPort = {
      async create(order, attempt) {
        // A try that failed in the middle has left its order behind.
        const found = attempt.firstTriedAt !== null || attempt.previous !== 'none' ? await find(attempt) : null
        if (found) return found
        const { key, signal } = attempt
        const products = await findProducts(api, order.lines, signal)
        const body = newOrder(order, products, key)
        const created = await api.write('POST', '/orders', body, ShopOrder, signal).catch(uncertainIfRefused)
        return await complete(api, created, { signal, destination })
      },
      find,
    }

    async function find(attempt: Attempt): Promise<Effect | null> {
      const found = await findOrder(api, attempt)
      return found && (await complete(api, found, { signal: attempt.signal, destination }))
    }

    return { ports: { orders }, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
  },
})
