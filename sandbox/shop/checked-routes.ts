import type { Router } from 'express'
import { RestError } from './rest-error.ts'
import type { createServe, Route } from './wordpress.ts'

/** Batches of orders and of customers: only an empty one is imitated, which WooCommerce answers with nothing. */
export function addExaminedRoutes(
  router: Router,
  serve: ReturnType<typeof createServe>,
  { managesStock }: { managesStock: boolean },
): void {
  router.post('/orders/batch', serve(emptyBatch))
  router.post('/customers/batch', serve({ ...emptyBatch, makesUsers: true }))
  const setting = { id: 'woocommerce_manage_stock', value: managesStock ? 'yes' : 'no' }
  router.get(
    '/settings/products/woocommerce_manage_stock',
    serve({ act: 'list', prepare: () => () => ({ body: setting }) }),
  )
}

const emptyBatch: Route = {
  act: 'batch',
  prepare:
    ({ parameters }) =>
    () => {
      const given = ['create', 'update', 'delete'].filter((name) => parameters[name] !== undefined)
      if (given.length > 0) throw new RestError(501, 'sandbox_not_imitated', 'Batches of these are not imitated.')
      return { body: [] }
    },
}
