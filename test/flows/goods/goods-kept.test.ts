import { expect, test } from 'vitest'
import { createPlatform } from '../../../src/platform/platform.ts'
import { eventually } from '../../eventually.ts'
import { FETCHED, SENT, shareOnlineStore } from '../orders/online-given.ts'

/* Goods of orders that customers place in the shop, on a platform that keeps none with an order. */

const store = shareOnlineStore({ reserves: true })

/** How many pieces of each article are kept for an order, wherever; by GTIN. */
async function keptFor(orderNo: string): Promise<Record<string, string | null>> {
  const { platform } = store()
  await using portal = createPlatform({
    preset: 'frontsystems-v2',
    baseUrl: platform.portalUrl,
    apiKey: 'key-of-the-user',
    subscriptionKey: 'key-of-the-company',
  })
  const lists = await Promise.all(['12', '13'].map((stock) => portal.reservations.list(stock)))
  const kept = lists.flatMap(({ rows }) => rows).filter(({ extId }) => extId === orderNo)
  return Object.fromEntries(kept.map(({ gtin, quantity }) => [gtin, quantity]))
}

const BASKET = { '7090012340011': '2', '7090012340059': '1' }

async function placed(how: object): Promise<string> {
  store().platform.strange.keepsForOrders = false
  const { number } = await store().order(how)
  await eventually(async () => expect(await keptFor(number)).toEqual(BASKET))
  return number
}

test.each([
  ['declines it as a whole', FETCHED, (orderNo: string) => store().platform.actions.declineOrder({ orderNo })],
  ['lets its time run out', FETCHED, (orderNo: string) => store().platform.actions.expireOrder({ orderNo })],
  [
    'hands it over to the customer',
    FETCHED,
    (orderNo: string) => {
      store().platform.actions.pickOrder({ orderNo })
      store().platform.actions.collectOrder({ orderNo })
    },
  ],
  ['packs it', SENT, (orderNo: string) => store().platform.actions.packOrder({ orderNo })],
])('When a customer orders in the shop, then the goods are kept until the store %s', async (_, how, end) => {
  const number = await placed(how)
  end(number)
  await eventually(async () => expect(await keptFor(number)).toEqual({}))
})

test('When the platform lists no parcels of what customers fetch, then it is let go all the same', async () => {
  const number = await placed(FETCHED)
  store().platform.strange.listsNoParcels = true
  store().platform.actions.pickOrder({ orderNo: number })
  store().platform.actions.collectOrder({ orderNo: number })
  await eventually(async () => expect(await keptFor(number)).toEqual({}))
  const off = await placed(FETCHED)
  store().platform.actions.declineOrder({ orderNo: off })
  await eventually(async () => expect(await keptFor(off)).toEqual({}))
  store().platform.strange.listsNoParcels = false
})

test('When the store has only begun with it, or declined a part, then the goods stay kept', async () => {
  const number = await placed(FETCHED)
  store().platform.actions.pickOrder({ orderNo: number })
  store().platform.actions.declineOrder({ orderNo: number, sku: 'SOCKS-GRY' })
  await store().quiet()
  expect(await keptFor(number)).toEqual(BASKET)
})
