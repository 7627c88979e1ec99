import { Router } from 'express'
import { addExaminedRoutes } from './checked-routes.ts'
import type { Customers, ShopCustomer } from './customers/customers.ts'
import { addCustomerRoutes } from './customers/routes.ts'
import { onlyFields, pageOf } from './orders/collection.ts'
import { noteJson, orderJson } from './orders/json.ts'
import { listOrders, OrderQuery } from './orders/list.ts'
import type { Order } from './orders/order.ts'
import type { Orders } from './orders/orders.ts'
import { NoteInput, OrderInput } from './orders/parameters.ts'
import type { Taxes } from './orders/tax.ts'
import { readParameters } from './parameters.ts'
import type { Catalogue } from './products/catalogue.ts'
import { productJson } from './products/product-json.ts'
import { listProducts, listVariations, ProductQuery } from './products/product-list.ts'
import { addStockRoutes } from './products/stock-routes.ts'
import { createRefundRoutes } from './refunds/routes.ts'
import { RestError } from './rest-error.ts'
import type { SiteTime } from './site-time.ts'
import type { Answer, Call, createServe, Route } from './wordpress.ts'

interface Means {
  catalogue: Catalogue
  orders: Orders
  customers: Customers
  /** The webhooks that are set up, as the API lists them. */
  webhooks(): object[]
  /** Whether a new account must bring its password. */
  accountsBring: readonly ('username' | 'password')[]
  /** A customer is new, or was changed. */
  announceCustomer(event: 'created' | 'updated', customer: ShopCustomer): void
  taxes: Taxes
  time: SiteTime
  base: () => string
}

/** The routes under `/wp-json/wc/v3`. */
export function createRoutes(means: Means, serve: ReturnType<typeof createServe>): Router {
  const { catalogue, orders, time } = means
  const shown = () => ({ ...means, base: means.base(), api: `${means.base()}/wp-json/wc/v3` })
  const showOrder = (order: Order) => orderJson(order, shown())

  const list: Route = {
    act: 'list',
    prepare({ query: given }) {
      const query = readParameters(given, OrderQuery)
      return () => page(listOrders(orders.all(), query, time), query, showOrder)
    },
  }

  const create: Route = {
    act: 'create',
    prepare({ parameters, turn }) {
      const input = readParameters(parameters, OrderInput)
      return async () => {
        if (Number(input.id ?? 0) !== 0)
          throw new RestError(400, 'woocommerce_rest_shop_order_exists', 'Cannot create existing shop_order.')
        const order = await orders.create(input, turn)
        return created(showOrder(order), `${shown().api}/orders/${order.id}`)
      }
    },
  }

  const view: Route = {
    act: 'view',
    prepare:
      ({ id }) =>
      () => ({ body: showOrder(orderOf(id, 404)) }),
  }

  const update: Route = {
    act: 'edit',
    prepare({ id, parameters, turn }) {
      const input = readParameters(parameters, OrderInput)
      return async () => {
        const order = orderOf(id, 400)
        await orders.update(order, input, turn)
        return { body: showOrder(order) }
      }
    },
  }

  const listNotes: Route = {
    act: 'list',
    prepare:
      ({ id }) =>
      () => {
        const order = orderOf(id, 404, 'woocommerce_rest_shop_order_invalid_id', 'Invalid order ID.')
        return { body: order.notes.toReversed().map((note) => noteJson(note, order, shown())) }
      },
  }

  const createNote: Route = {
    act: 'create',
    prepare({ id, parameters }) {
      const input = readParameters(parameters, NoteInput, ['note'])
      return () => {
        const order = orderOf(id, 404, 'woocommerce_rest_order_invalid_id', 'Invalid order ID.')
        const note = orders.addNote(order, input.note, input.customer_note ?? false)
        return created(noteJson(note, order, shown()), `${shown().api}/orders/${order.id}/notes/${note.id}`)
      }
    },
  }

  const products = (select: (call: Call, query: ProductQuery) => ReturnType<typeof listProducts>): Route => ({
    act: 'list',
    prepare(call) {
      const query = readParameters(call.query, ProductQuery)
      return () => page(select(call, query), query, (product) => productJson(product, shown()))
    },
  })

  const product: Route = {
    act: 'view',
    prepare: (call) => () => {
      const found = catalogue.get(call.id)
      if (!found) throw new RestError(404, 'woocommerce_rest_product_invalid_id', 'Invalid ID.')
      return { body: productJson(found, shown()) }
    },
  }

  function orderOf(
    id: number,
    status: 400 | 404,
    code = 'woocommerce_rest_shop_order_invalid_id',
    message = 'Invalid ID.',
  ) {
    const order = orders.get(id)
    if (!order) throw new RestError(status, code, message)
    return order
  }

  const refunds = createRefundRoutes({ orders, time, api: () => shown().api })

  const router = Router()
  addExaminedRoutes(router, serve, catalogue)
  router.route('/orders').get(serve(list)).post(serve(create))
  router.param('id', (_, __, next, id) => next(/^\d+$/.test(id) ? undefined : 'router'))
  router.route('/orders/:id').get(serve(view)).put(serve(update)).post(serve(update)).patch(serve(update))
  router.route('/orders/:id/notes').get(serve(listNotes)).post(serve(createNote))
  router.route('/orders/:id/refunds').get(serve(refunds.list)).post(serve(refunds.create))
  router.get('/webhooks', serve({ act: 'list', prepare: () => () => ({ body: means.webhooks() }) }))
  router.get('/payment_gateways/:gateway', serve(refunds.gateway))
  addCustomerRoutes(
    router,
    {
      customers: means.customers,
      time,
      api: () => shown().api,
      announce: means.announceCustomer,
      accountsBring: means.accountsBring,
    },
    serve,
  )
  addStockRoutes(router, means, serve)
  router.get('/products', serve(products((_, query) => listProducts(catalogue, query, time))))
  router.get('/products/:id', serve(product))
  router.get('/products/:id/variations', serve(products(({ id }, query) => listVariations(catalogue, id, query, time))))
  return router
}

function page<T>(
  all: T[],
  query: Parameters<typeof pageOf>[1] & { _fields?: string[] | undefined },
  show: (item: T) => Record<string, unknown>,
): Answer {
  const { items, headers } = pageOf(all, query)
  return { headers, body: items.map((item) => onlyFields(show(item), query._fields)) }
}

function created(body: Record<string, unknown>, location: string): Answer {
  return { status: 201, headers: { Location: location }, body }
}
