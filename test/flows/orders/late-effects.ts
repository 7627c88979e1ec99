import { expect } from 'vitest'
import type { ShopOrder } from '../../../sandbox/shop/shop.ts'
import type { TestClock } from '../../clock.ts'
import { type OpenStore, openStore } from '../days/open-store.ts'
import { type LateClock, type LateDoor, openLateDoor } from '../late-door.ts'

/* A shop that carries out what it is asked for long after whoever asked has given up. */

/** Requests that change something in the shop, by what they do. */
export const WRITES = {
  'making an order': /^POST [^ ]*\/orders[? ]/,
  'giving money back': /^POST [^ ]*\/orders\/\d+\/refunds[? ]/,
  'writing a note': /^POST [^ ]*\/orders\/\d+\/notes[? ]/,
  'changing an order': /^PUT [^ ]*\/orders\/\d+[? ]/,
  'all that it does': /^(POST|PUT) /,
} as const

export interface LateStore extends AsyncDisposable {
  store: OpenStore
  door: LateDoor
}

export async function openLateStore(clock: LateClock, lane: object): Promise<LateStore> {
  await using opened = new AsyncDisposableStack()
  let door: LateDoor | null = null
  const store = opened.use(
    await openStore({
      ...(clock.advance && { clock: clock as TestClock }),
      seedCatalogue: false,
      shop: { lane },
      shopUrl: async (url: string) => {
        door = opened.use(await openLateDoor(url, clock))
        return door.url
      },
    }),
  )
  if (door === null) throw new Error('The shop has no door.')
  const open = opened.move()
  return { store, door, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

const BASKET = [{ sku: 'TEE-BLK-M', quantity: 2 }, { sku: 'SOCKS-GRY' }]

/** Everything that is done to an order of the shop, each to one of its own; `expectOnce` waits until it is done, and looks. */
export async function doEverything({ store }: LateStore) {
  const { shop, platform } = store
  const { actions } = platform
  const placed = new Map<string, ShopOrder>()
  for (const deed of ['collect', 'decline', 'expire', 'ship', 'refund', 'note'] as const) {
    const order = await shop.placeOrder({ lines: BASKET })
    placed.set(deed, order)
    const lines = BASKET.map(({ sku, quantity = 1 }) => ({ sku, quantity }))
    actions.placeOrder({ orderNo: order.number, lines, ship: deed === 'ship' })
  }
  const numberOf = (deed: string) => placed.get(deed)?.number ?? ''
  const before = shop.orders().length
  const made = actions.endlessAisle({ lines: [{ sku: 'TEE-BLK-M' }] })
  actions.saveForOnlineCheckout({ store: '101', lines: [{ sku: 'COAT-NVY-M' }] })
  for (const deed of ['collect', 'refund', 'note', 'expire']) actions.pickOrder({ orderNo: numberOf(deed) })
  actions.declineOrder({ orderNo: numberOf('decline'), sku: 'SOCKS-GRY' })
  actions.packOrder({ orderNo: numberOf('ship') })
  for (const deed of ['collect', 'refund', 'note']) actions.collectOrder({ orderNo: numberOf(deed) })
  actions.expireOrder({ orderNo: numberOf('expire') })
  actions.returnOrder({ orderNo: numberOf('refund'), sku: 'SOCKS-GRY', isRefunded: false })
  actions.returnOrder({ orderNo: numberOf('note'), sku: 'SOCKS-GRY', isRefunded: true })
  await platform.settled()

  return {
    expectOnce() {
      expect(shop.orders().length - before, 'one order and one draft').toBe(2)
      expect(shop.orders().filter(({ transactionId }) => transactionId === made.txRef)).toHaveLength(1)
      const now = (deed: string) => shop.orders().find(({ id }) => id === placed.get(deed)?.id)
      const back = (deed: string) => now(deed)?.refunds.map(({ amount, paidBack }) => `${amount} ${paidBack}`)
      expect(back('decline')).toEqual(['149.90 true'])
      expect(back('refund')).toEqual(['149.90 true'])
      expect(back('note')).toEqual(['149.90 false'])
      expect(back('expire')).toEqual([`${placed.get('expire')?.total} true`])
      expect([now('collect')?.status, now('ship')?.status, now('expire')?.status]).toEqual([
        'completed',
        'completed',
        'cancelled',
      ])
      // What the customer is told is told once.
      for (const deed of placed.keys()) {
        const told = now(deed)?.told ?? []
        expect(told, deed).toEqual([...new Set(told)])
      }
    },
  }
}
