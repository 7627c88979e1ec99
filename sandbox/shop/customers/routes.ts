import type { Router } from 'express'
import { onlyFields, pageOf } from '../orders/collection.ts'
import { readParameters } from '../parameters.ts'
import { RestError } from '../rest-error.ts'
import type { SiteTime } from '../site-time.ts'
import type { createServe, Route } from '../wordpress.ts'
import { type Customers, customerJson, listCustomers, type ShopCustomer } from './customers.ts'
import { CustomerDeletion, CustomerInput, CustomerQuery } from './parameters.ts'

interface Means {
  customers: Customers
  time: SiteTime
  api: () => string
  /** The parts of a new account that the shop does not make itself. */
  accountsBring: readonly ('username' | 'password')[]
  /** Somebody is new, or was changed. */
  announce(event: 'created' | 'updated', customer: ShopCustomer): void
}

/** Adds the routes of customers to those under `/wp-json/wc/v3`. */
export function addCustomerRoutes(
  router: Router,
  { customers, time, api, accountsBring, announce }: Means,
  serve: ReturnType<typeof createServe>,
): void {
  const show = (customer: ShopCustomer) => customerJson(customer, { time, api: api() })

  const list: Route = {
    act: 'list',
    prepare({ query: given }) {
      const query = readParameters(given, CustomerQuery)
      return () => {
        const { items, headers } = pageOf(listCustomers(customers.all(), query), query)
        return { headers, body: items.map((one) => onlyFields(show(one), query._fields)) }
      }
    },
  }

  const create: Route = {
    act: 'create',
    makesUsers: true,
    prepare({ parameters, turn }) {
      const input = readParameters(parameters, CustomerInput, ['email', ...accountsBring])
      return async () => {
        if (Number(input.id ?? 0) !== 0)
          throw new RestError(400, 'woocommerce_rest_customer_exists', 'Cannot create existing resource.')
        const customer = customers.create(input)
        announce('created', customer)
        await turn.saved()
        const headers = { Location: `${api()}/customers/${customer.id}` }
        return { status: 201, headers, body: show(customer) }
      }
    },
  }

  const view: Route = {
    act: 'view',
    prepare:
      ({ id }) =>
      () => ({ body: show(customerOf(id)) }),
  }

  const update: Route = {
    act: 'edit',
    prepare({ id, parameters, turn }) {
      const input = readParameters(parameters, CustomerInput)
      return async () => {
        const customer = customerOf(id)
        customers.update(customer, input)
        announce('updated', customer)
        await turn.saved()
        return { body: show(customer) }
      }
    },
  }

  // An account has no trash: its orders stay, and are nobody's then.
  const remove: Route = {
    act: 'delete',
    prepare({ id, parameters, turn }) {
      const { force } = readParameters(parameters, CustomerDeletion)
      return async () => {
        if (!force)
          throw new RestError(501, 'woocommerce_rest_trash_not_supported', 'Customers do not support trashing.')
        const customer = customerOf(id)
        const body = show(customer)
        customers.remove(customer)
        await turn.saved()
        return { body }
      }
    },
  }

  function customerOf(id: number): ShopCustomer {
    const found = customers.get(id)
    if (!found) throw new RestError(404, 'wc_user_invalid_id', 'Invalid user ID.')
    return found
  }

  router.route('/customers').get(serve(list)).post(serve(create))
  router
    .route('/customers/:id')
    .get(serve(view))
    .put(serve(update))
    .post(serve(update))
    .patch(serve(update))
    .delete(serve(remove))
}
