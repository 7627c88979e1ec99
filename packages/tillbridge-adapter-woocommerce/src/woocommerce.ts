import {
  adviceOn,
  CLOCKS,
  clockFound,
  defineAdapter,
  failureFound,
  type HealthFinding,
  isRefusal,
  type OrdersPort,
  ordersBySteps,
  refundedOrder,
} from 'tillbridge/adapter'
import { z } from 'zod'
import { createShopApi, type ShopApi } from './api.ts'
import { createWooCustomers } from './customers.ts'
import { createWooIntake, disabledWebhooks } from './intake.ts'
import { WooCommerceOptions } from './options.ts'
import { create as createOrder, draft } from './orders/create.ts'
import { createWooKeySearch, createWooSearch, locateOrder, reconcile } from './orders/find-order.ts'
import { collected, decline, expire, ready, returnGoods, ship } from './orders/fulfilment.ts'
import type { OrderContext } from './orders/order-context.ts'
import { refundsOf, refundsWith } from './orders/refunds.ts'
import { createWooStock } from './stock.ts'

const AREAS = ['orders', 'products', 'customers'] as const
const Listed = z.array(z.object({ id: z.number() }))

interface Tried {
  right: string
  error: unknown
}

async function checkShop(
  api: ShopApi,
  { destination, webhookSecret }: { destination: string; webhookSecret: string | undefined },
  signal: AbortSignal,
): Promise<HealthFinding[]> {
  let date: string | string[] | undefined
  const read = (area: string) =>
    tried(`read ${area}`, async () => {
      const { headers } = await api.get(`/${area}`, { per_page: '1', _fields: 'id' }, Listed, signal)
      date = headers.date
    })
  // An empty batch changes nothing; the shop checks the rights.
  const write = (area: string) =>
    tried(`write ${area}`, () => api.write('POST', `/${area}/batch`, {}, z.unknown(), signal))

  const first = await read(AREAS[0])
  if (first.error !== null && !isRefusal(first.error)) throw first.error
  const all = [first, ...(await Promise.all([...AREAS.slice(1).map(read), ...AREAS.map(write)]))]
  const failed = all.filter(({ error }) => error !== null)
  if (failed.length === all.length) throw first.error
  return [
    { what: 'connection', state: 'ok', says: 'Its API answers.' },
    { what: 'credentials', state: 'ok', says: 'It knows our key.' },
    ...judgeRights(failed),
    ...(webhookSecret === undefined ? [] : await webhooksFound(api, destination, signal)),
    ...clockFound(date, Date.now(), CLOCKS),
  ]
}

async function tried(right: string, ask: () => Promise<unknown>): Promise<Tried> {
  try {
    await ask()
    return { right, error: null }
  } catch (error) {
    return { right, error }
  }
}

/** WooCommerce answers 401 to a key without rights, as to an unknown one. */
function judgeRights(failed: readonly Tried[]): HealthFinding[] {
  if (failed.length === 0)
    return [{ what: 'rights', state: 'ok', says: `Our key may read and write ${AREAS.join(', ')}.` }]
  const refused = failed.filter(({ error }) => isRefusal(error)).map(({ right }) => right)
  const broken = failed.find(({ error }) => !isRefusal(error))
  return [...(refused.length > 0 ? [lacking(refused)] : []), ...(broken ? [failureFound(broken.error, 'rights')] : [])]
}

function lacking(rights: readonly string[]): HealthFinding {
  const says = `Our key may not ${rights.join(', ')}`
  if (rights.join() !== 'write customers')
    return { what: 'rights', state: 'problem', says: `${says}.`, todo: adviceOn('http-403').todo }
  return {
    what: 'rights',
    state: 'note',
    says: `${says}, as no key of a shop manager may: no accounts are made.`,
    todo: 'give it to a user who may promote users (an administrator), or skip the flow upsert-customer here.',
  }
}

async function webhooksFound(api: ShopApi, destination: string, signal: AbortSignal): Promise<HealthFinding[]> {
  const disabled = await disabledWebhooks(api, destination, signal).catch(() => [])
  if (disabled.length === 0) return []
  const says = `WooCommerce has turned off after failed deliveries: ${disabled.join(', ')}.`
  const todo = 'set it to Active under WooCommerce → Settings → Advanced → Webhooks.'
  return [{ what: 'webhooks', state: 'problem', says, todo }]
}

/** The shop has no idempotency key and no filter by meta data: an effect is found by its mark in meta data or in the reason of a refund. */
function createWooOrders(context: OrderContext): Required<Omit<OrdersPort, 'search'>> {
  return {
    ...ordersBySteps(context, {
      ...{ create: createOrder, draft, ready, collected, ship, decline, expire },
      refund: returnGoods(true),
      noteRefund: returnGoods(false),
    }),
    reconcile: (given, question) => reconcile(context, given, question),
    async countRefunds(call, attempt) {
      const order = await locateOrder(context, refundedOrder(call), attempt)
      return refundsWith(attempt.key, await refundsOf(context, order, attempt.signal)).length
    },
  }
}

export default defineAdapter({
  name: 'woocommerce',
  options: WooCommerceOptions,
  create(options, context) {
    const { destination } = context
    const api = createShopApi(options, context)
    const orders: OrderContext = { api, options, destination, search: createWooKeySearch(api) }
    const intake = createWooIntake(api, options, destination)
    return {
      ports: {
        orders: { ...createWooOrders(orders), search: createWooSearch(api, options) },
        customers: createWooCustomers(api),
        stock: createWooStock(api, options),
      },
      ...(intake && { intake }),
      healthCheck: ({ signal }) => checkShop(api, { destination, webhookSecret: options.webhookSecret }, signal),
      [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
    }
  },
})
