import { expect } from 'vitest'
import type { ShopOrder } from '../../../sandbox/shop/records.ts'
import { type Shop, startShop } from '../../../sandbox/shop/shop.ts'
import type { DeliveryFilter, DeliveryRow } from '../../../src/storage/rows.ts'
import { eventually } from '../../eventually.ts'
import { type Given, startTestHub, type TestHub } from '../../hub.ts'
import { inFlight, waiting } from '../days/open-store.ts'

/** One event about an online order, as a POS really sent it. */
export interface Recorded {
  kind: string
  body: string
}

const KEY = { consumerKey: 'ck_of_the_tests', consumerSecret: 'cs_of_the_tests' }

/** The articles of the story, in the sandbox's own assortment. */
export const ARTICLES = [
  { sku: 'TEE-BLK-M', quantity: 2 },
  { sku: 'SOCKS-GRY', quantity: 1 },
]

/** A hub and the shop that its orders come from. */
export interface WithOrders extends AsyncDisposable {
  hub: TestHub
  shop: Shop
  order(): Promise<ShopOrder>
  now(order: ShopOrder): ShopOrder
  done(): Promise<void>
  /** The one delivery that is held for a person, once there is one. */
  held(filter?: DeliveryFilter): Promise<DeliveryRow>
}

/** `more`: options of the adapter; `numbering`: of the shop. */
export async function startWithOrders(
  given: Given = {},
  more: object = {},
  numbering: (id: number) => string = String,
): Promise<WithOrders> {
  await using opened = new AsyncDisposableStack()
  const shop = opened.use(
    await startShop({
      ...KEY,
      numbering,
      products: [
        { name: 'T-shirt', sku: 'TEE-BLK-M', globalUniqueId: '7090012340011', price: '349.00' },
        { name: 'Socks', sku: 'SOCKS-GRY', globalUniqueId: '7090012340059', price: '149.90' },
      ],
    }),
  )
  const queue = { concurrency: 8 }
  const hub = opened.use(
    await startTestHub({
      ...given,
      destinations: { shop: { adapter: 'woocommerce', url: shop.url, ...KEY, queue, ...more }, ...given.destinations },
    }),
  )
  const open = opened.move()
  return {
    hub,
    shop,
    order: () => shop.placeOrder({ lines: ARTICLES }),
    now: (order) => shop.orders().find(({ id }) => id === order.id) ?? order,
    done: async () => {
      // Counted, not listed: a list shows the newest ones only.
      await eventually(async () => (await waiting(hub)) === 0 && (await inFlight(hub)) === 0, 60_000)
    },
    held: async (filter = {}) =>
      await eventually(async () => {
        const [one, ...others] = await hub.hub.storage.deliveries({ state: 'held', ...filter })
        expect(others).toEqual([])
        return one ?? false
      }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}
