import { PermanentError } from '../../domain/values/errors.ts'
import type { Attempt, Effect } from '../../ports/attempt.ts'
import type { CustomersPort } from '../../ports/customers.ts'
import type { OrdersPort } from '../../ports/orders.ts'
import type { Call } from '../../ports/ports.ts'
import type { StockPort } from '../../ports/stock.ts'
import { defineAdapter } from '../adapter.ts'
import { createLookPlaces } from '../shared/look-places.ts'
import { createAmounts } from './amounts.ts'
import { createVendureApi } from './api.ts'
import { examineShop } from './examine.ts'
import { createIntake } from './intake/intake.ts'
import { createOperations } from './operations.ts'
import { VendureOptions } from './options.ts'
import { declineGoods, expireOrder } from './orders/cancel.ts'
import { markCollected } from './orders/collected.ts'
import { createDraftOrder, createOrder } from './orders/create.ts'
import { findAllEffects, findEffect } from './orders/find-effect.ts'
import { shipParcel } from './orders/fulfil.ts'
import { noteRefund } from './orders/note-refund.ts'
import { tellReady } from './orders/ready.ts'
import { refundGoods } from './orders/refund.ts'
import { tally } from './orders/tally.ts'
import { searchCustomers, upsertCustomer } from './people/customers.ts'
import { eraseCustomer } from './people/erase.ts'
import { searchOrders } from './people/search.ts'
import type { Shop } from './shop.ts'
import { setLevels } from './stock/stock.ts'
import { readLevels } from './stock/stock-levels.ts'

/**
 * A Vendure shop, by its Admin API (GraphQL). It has no idempotency key: an order carries our key in a note, what is given
 * back and cancelled in its reason, and every step looks at the order before it acts.
 */
export default defineAdapter({
  name: 'vendure',
  options: VendureOptions,
  create(options, context) {
    const api = createVendureApi(options, context)
    const shop: Shop = {
      api,
      operations: createOperations(options),
      options,
      amounts: createAmounts(options.moneyDecimals),
      known: new Set(),
      looks: createLookPlaces<number>(),
    }
    const orders: OrdersPort = {
      create: (order, attempt) => createOrder(shop, order, attempt),
      draft: (basket, attempt) => createDraftOrder(shop, basket, attempt),
      ready: (order, attempt) => tellReady(shop, order, attempt),
      collected: (order, attempt) => markCollected(shop, order, attempt),
      decline: (declined, attempt) => declineGoods(shop, declined, attempt),
      expire: (order, attempt) => expireOrder(shop, order, attempt),
      ship: (parcel, attempt) => shipParcel(shop, parcel, attempt),
      refund: (returned, attempt) => refundGoods(shop, returned, attempt),
      noteRefund: (returned, attempt) => noteRefund(shop, returned, attempt),
      search: (number, question) => searchOrders(shop, number, question),
      tally: (given, question) => tally(shop, given, question),
      find: (attempt, call) => find(shop, attempt, call),
      findAll: (attempt, call) => findAllEffects(shop, attempt, call),
    }
    const customers: CustomersPort = {
      upsert: (customer, attempt) => upsertCustomer(shop, customer, attempt),
      erase: (who, { signal }) => eraseCustomer(shop, who, signal),
      search: (query, { signal }) => searchCustomers(shop, query, signal),
    }
    const stock: StockPort = {
      setLevels: (batch) => setLevels(shop, batch),
      readLevels: (location, page, question) => readLevels(shop, location, page, question),
    }
    return {
      ports: { orders, customers, stock },
      intake: createIntake(shop),
      examine: ({ signal }) => examineShop(shop, signal),
      [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
    }
  },
})

async function find(shop: Shop, attempt: Attempt, call: Call): Promise<Effect | null> {
  if (call.port === 'orders') return await findEffect(shop, attempt, call)
  throw new PermanentError(`${shop.api.destination}: ${call.port}.${call.method} cannot be looked for`, {
    code: 'cannot-find',
  })
}
