import { z } from 'zod'
import { adviceOn } from '../../domain/queue/outcome.ts'
import type { Examined } from '../../ports/attempt.ts'
import { defineAdapter } from '../adapter.ts'
import { clockFound, isRefusal, troubleFound } from '../shared/examine.ts'
import { createLookPlaces } from '../shared/look-places.ts'
import { createShopApi, type ShopApi } from './api.ts'
import { createWooIntake } from './intake/intake.ts'
import { namedWebhooks, silentWebhooks } from './intake/webhooks.ts'
import { WooCommerceOptions } from './options.ts'
import { CLOCKS, type OrderPages } from './orders/order-context.ts'
import { createWooOrders } from './orders/orders.ts'
import { createWooCustomers } from './people/customers.ts'
import { createWooSearch } from './people/search.ts'
import { createWooStock } from './stock/stock.ts'

/** The areas that the ports read and write. */
const AREAS = ['orders', 'products', 'customers'] as const

const Listed = z.array(z.object({ id: z.number() }))
const Setting = z.object({ value: z.string() })
const Status = z.object({ environment: z.object({ version: z.string().max(50) }) })

/** The right that was tried, and how it ended. */
interface Tried {
  right: string
  error: unknown
}

/** Looks at a shop: nothing in it is changed. Throws as a call does where it gets no further. */
export async function examineShop(
  api: ShopApi,
  { destination, webhookSecret }: { destination: string; webhookSecret: string | undefined },
  signal: AbortSignal,
): Promise<Examined[]> {
  let date: string | string[] | undefined
  const read = (area: string) =>
    tried(`read ${area}`, async () => {
      const { headers } = await api.get(`/${area}`, { per_page: '1', _fields: 'id' }, Listed, signal)
      date = headers.date
    })
  // A batch of nothing: the shop asks whether the key and its user may, and does nothing.
  const write = (area: string) =>
    tried(`write ${area}`, () => api.write('POST', `/${area}/batch`, {}, z.unknown(), signal))

  const first = await read(AREAS[0])
  if (first.error !== null && !isRefusal(first.error)) throw first.error
  const [, ...others] = AREAS
  const all = [first, ...(await Promise.all([...others.map(read), ...AREAS.map(write)]))]
  const failed = all.filter(({ error }) => error !== null)
  if (failed.length === all.length) throw first.error
  const clock = clockFound(date, Date.now(), CLOCKS)
  return [
    ...KNOWN,
    ...judgeRights(failed),
    await versionOf(api, signal),
    ...(await stockFound(api, signal)),
    ...(webhookSecret === undefined ? [] : await webhooksFound(api, destination, signal)),
    ...warningsFound(api),
    ...clock,
  ]
}

const KNOWN: Examined[] = [
  { what: 'connection', state: 'ok', says: 'Its API answers.' },
  { what: 'credentials', state: 'ok', says: 'It knows our key.' },
]

async function tried(right: string, ask: () => Promise<unknown>): Promise<Tried> {
  try {
    await ask()
    return { right, error: null }
  } catch (error) {
    return { right, error }
  }
}

/** WooCommerce answers 401 to a key that may not, as it does to one that it does not know. Pure. */
function judgeRights(failed: readonly Tried[]): Examined[] {
  const refused = failed.filter(({ error }) => isRefusal(error)).map(({ right }) => right)
  const broken = failed.filter(({ error }) => !isRefusal(error))
  return [
    ...(failed.length === 0 ? [ALL_RIGHTS] : []),
    ...(refused.length > 0 ? [lacking(refused)] : []),
    ...(broken.length > 0 ? [troubleFound(broken[0]?.error, 'rights')] : []),
  ]
}

const ALL_RIGHTS: Examined = { what: 'rights', state: 'ok', says: `Our key may read and write ${AREAS.join(', ')}.` }

function lacking(rights: readonly string[]): Examined {
  const says = `Our key may not ${rights.join(', ')}`
  if (rights.join() === 'write customers')
    return {
      what: 'rights',
      state: 'note',
      says: `${says}, as no key of a shop manager may: no accounts are made.`,
      todo: 'give it to a user who may promote users (an administrator), or skip the flow upsert-customer here.',
    }
  return { what: 'rights', state: 'problem', says: `${says}.`, todo: adviceOn('http-403').todo }
}

/** Whether the shop manages stock at all, which only managers of the shop may ask for. Silent where it does, or does not tell. */
async function stockFound(api: ShopApi, signal: AbortSignal): Promise<Examined[]> {
  try {
    const { value } = await api.get('/settings/products/woocommerce_manage_stock', {}, Setting, signal)
    return value.value === 'no' ? [NO_STOCK] : []
  } catch {
    return []
  }
}

function warningsFound(api: ShopApi): Examined[] {
  return api.showsWarnings() ? [WARNINGS] : []
}

const WARNINGS: Examined = {
  what: 'answers',
  state: 'note',
  says: 'Warnings of PHP stand before what it answers. They are passed over, but show paths of its server to everybody.',
  todo: "set WP_DEBUG_DISPLAY to false in the shop's wp-config.php (and display_errors off in PHP), or have the plugin that is named there renewed.",
}

const NO_STOCK: Examined = {
  what: 'stock',
  state: 'problem',
  says: 'The shop does not manage stock: it takes levels, and keeps none.',
  todo: 'turn on WooCommerce → Settings → Products → Inventory → Enable stock management, or tell it no levels (no stocks of it in config).',
}

/** Whether the shop sends its webhooks, which only managers of the shop may ask for. */
async function webhooksFound(api: ShopApi, destination: string, signal: AbortSignal): Promise<Examined[]> {
  const silent = await silentWebhooks(api, destination, signal).catch(() => [])
  const disabled = silent.filter(({ status }) => status === 'disabled')
  const paused = silent.filter(({ status }) => status === 'paused')
  return [
    ...(disabled.length > 0
      ? [
          {
            what: 'webhooks',
            state: 'problem' as const,
            says: `WooCommerce has turned off after failed deliveries: ${namedWebhooks(disabled)}.`,
            todo: TURN_ON,
          },
        ]
      : []),
    ...(paused.length > 0
      ? [
          {
            what: 'webhooks',
            state: 'note' as const,
            says: `Paused in the shop: ${namedWebhooks(paused)}.`,
            todo: TURN_ON,
          },
        ]
      : []),
  ]
}

const TURN_ON = 'set it to Active under WooCommerce → Settings → Advanced → Webhooks.'

/** The version of WooCommerce, which only managers of the shop may ask for. */
async function versionOf(api: ShopApi, signal: AbortSignal): Promise<Examined> {
  try {
    const { value } = await api.get('/system_status', { _fields: 'environment.version' }, Status, signal)
    return { what: 'version', state: 'ok', says: `REST API v3 of WooCommerce ${value.environment.version}.` }
  } catch {
    return { what: 'version', state: 'ok', says: 'REST API v3; of which WooCommerce, it does not tell our key.' }
  }
}

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
