import { afterAll, beforeAll, expect } from 'vitest'
import type { PlacedOrder, ShopOrder } from '../../../sandbox/shop/shop.ts'
import type { TestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { deliveriesOf, keptIn, type TestHub } from '../../hub.ts'
import { type OpenStore, openStorage } from '../days/open-store.ts'

/** The stock of the online store, at the platform. */
export const WEB = 900

export { LINGER } from '../days/open-store.ts'

const POS_TOKEN = 'pos-token-of-the-tests'
const WEBHOOK_SECRET = 'secret-of-the-webhooks'

/** A store whose online shop hands its orders over, and whose POS ask the hub; as config/demo.yaml has it. */
export interface OnlineStore extends OpenStore {
  /** A customer's paid order in the shop, once the store has it. */
  order(placed: Partial<PlacedOrder>): Promise<ShopOrder>
  now(order: ShopOrder): ShopOrder
}

const BASKET = [{ sku: 'TEE-BLK-M', quantity: 2 }, { sku: 'SOCKS-GRY' }]

interface OnlineGiven {
  clock?: TestClock
  trusts?: boolean
  reserves?: boolean
}

async function openOnlineStore({
  clock,
  trusts = false,
  reserves = false,
}: OnlineGiven = {}): Promise<OnlineStore & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const storage = opened.use(
    await openStorage({
      ...(clock && { clock }),
      platform: { ...(trusts && { trustWebhooks: true }), reserveOrders: reserves },
      shop: {
        webhookSecret: WEBHOOK_SECRET,
        storeMeta: 'store',
        intake: { stores: { 'Oslo City': '101', 'Bergen Torg': '102' }, country: 'NO' },
        stocks: { [WEB]: 'web' },
      },
      // A busy machine is no slow shop.
      lookups: { customers: { tokens: [POS_TOKEN], budget: '10s' }, orders: { tokens: [POS_TOKEN], budget: '10s' } },
    }),
  )
  const { hub, shop, platform } = storage
  shop.sendWebhooksTo({ url: `${hub.url}/intake/shop`, secret: WEBHOOK_SECRET })
  platform.lookups.connect({
    customers: { url: `${hub.url}/api/customers/search`, token: POS_TOKEN },
    orders: { url: `${hub.url}/api/orders/search`, token: POS_TOKEN },
  })
  await hub.admin('jobs/stores/run', {})
  await eventually(async () => expect(await hub.hub.storage.stores()).not.toEqual([]))
  const open = opened.move()
  return {
    ...storage,
    async order(placed) {
      const order = await shop.placeOrder({ lines: BASKET, ...placed })
      await eventually(() => platform.onlineOrders().some(({ body }) => body.orderNo === order.number))
      return order
    },
    now: (order) => shop.orders().find(({ id }) => id === order.id) ?? order,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** One for all tests of a file: each has an order, an article or a customer of its own. */
export function shareOnlineStore(given: OnlineGiven = {}): () => OnlineStore {
  let storage: (OnlineStore & AsyncDisposable) | null = null
  beforeAll(async () => {
    storage = await openOnlineStore(given)
  })
  afterAll(() => storage?.[Symbol.asyncDispose]())
  return () => {
    if (!storage) throw new Error('The store is there in its tests only.')
    return storage
  }
}

/** What the customer fetches in a store, and what a store sends. */
export const FETCHED = { shipping: { method: 'pickup_location', location: 'Oslo City' } } as const
export const SENT = { meta: { store: '102' } } as const

/** What became of an order: its state, and which pieces were refunded, by whom. */
export function fateOf({ status, refunds, lines }: ShopOrder) {
  const skuOf = (lineId: number) => lines.find(({ id }) => id === lineId)?.sku
  const back = refunds.flatMap(({ paidBack, lines: goods }) =>
    goods.map(({ lineId, quantity }) => `${Math.abs(quantity)} ${skuOf(lineId)} ${paidBack ? 'paid back' : 'noted'}`),
  )
  return { status, back: back.toSorted() }
}

/** Flow and state of what was owed to the shop about an order, in the order in which it was called for. */
export async function pendingFor(hub: TestHub, number: string): Promise<string[]> {
  const rows = await deliveriesOf(hub)
  return rows
    .filter(({ destination, entity }) => destination === 'shop' && entity === `order:${number}`)
    .toReversed()
    .map(({ flow, state }) => `${flow} ${state}`)
}

/** What came of a kind comes again: by the name that it had, and by a new one. */
export async function comesAgain({ hub }: Pick<OnlineStore, 'hub'>, kind: string): Promise<void> {
  for (const { transportKey, body } of keptIn(hub).filter((kept) => kept.kind === kind))
    for (const eventId of [`${transportKey}`, `${transportKey}-again`]) await hub.post(kind, body, { eventId })
}
