import { CollectionQuery, onlyFields, pageOf, sorted } from '../orders/collection.ts'
import type { Orders } from '../orders/orders.ts'
import { oneOf, readParameters } from '../parameters.ts'
import { RestError } from '../rest-error.ts'
import type { SiteTime } from '../site-time.ts'
import type { Route } from '../wordpress.ts'
import { gatewayJson, gatewayOf } from './gateways.ts'
import { refundJson } from './json.ts'
import { RefundInput } from './parameters.ts'

const RefundQuery = CollectionQuery.extend({ orderby: oneOf('date', 'id', 'include', 'modified').default('date') })

interface Means {
  orders: Orders
  time: SiteTime
  /** `https://shop.example/wp-json/wc/v3` */
  api: () => string
}

/** `/orders/{id}/refunds`, and the payment gateways that say whether they can give money back. */
export function createRefundRoutes({ orders, time, api }: Means): Record<'list' | 'create' | 'gateway', Route> {
  const list: Route = {
    act: 'list',
    prepare({ id, query: given }) {
      const query = readParameters(given, RefundQuery)
      return () => {
        const order = orders.get(id)
        // The real one looks for refunds below this number, and finds none.
        const all = (order?.refunds ?? []).map((refund) => ({ ...refund, modifiedAt: refund.createdAt }))
        const { items, headers } = pageOf(sorted(all, query.orderby, query), query)
        const show = (refund: (typeof items)[number]) => (order ? refundJson(refund, order, { api: api(), time }) : {})
        return { headers, body: items.map((item) => onlyFields(show(item), query._fields)) }
      }
    },
  }

  const create: Route = {
    act: 'create',
    prepare({ id, parameters, turn }) {
      const input = readParameters(parameters, RefundInput)
      return async () => {
        const order = orders.get(id)
        if (!order) throw new RestError(404, 'woocommerce_rest_invalid_order_id', 'Invalid order ID.')
        const refund = await orders.refund(order, input, turn)
        const headers = { Location: `${api()}/orders/${id}/refunds/${refund.id}` }
        return { status: 201, headers, body: refundJson(refund, order, { api: api(), time }) }
      }
    },
  }

  const gateway: Route = {
    act: 'view',
    prepare:
      ({ url }) =>
      () => {
        const found = gatewayOf(decodeURIComponent(url.pathname.split('/').at(-1) ?? ''))
        if (!found) throw new RestError(404, 'woocommerce_rest_payment_gateway_invalid', 'Resource does not exist.')
        return { body: gatewayJson(found, api()) }
      },
  }

  return { list, create, gateway }
}
