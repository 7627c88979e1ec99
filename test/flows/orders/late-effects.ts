import { expect } from 'vitest'
import type { ShopOrder } from '../../../sandbox/shop/shop.ts'
import type { TestClock } from '../../clock.ts'
import { type OpenStore, openStorage } from '../days/open-store.ts'
import { type LateClock, type LateDoor, openLateDoor } from '../late-door.ts'

/* A shop that executes what it is asked for long after whoever asked has given up. */

/** Requests that change something in the shop, by what they do. */
export const WRITES = {
  'making an order': /^POST [^ ]*\/orders[? ]/,
  'giving money back': /^POST [^ ]*\/orders\/\d+\/refunds[? ]/,
  'writing a note': /^POST [^ ]*\/orders\/\d+\/notes[? ]/,
  'changing an order': /^PUT [^ ]*\/orders\/\d+[? ]/,
  'all that it does': /^(POST|PUT) /,
} as const

export interface LateStore extends AsyncDisposable {
  storage: OpenStore
  door: LateDoor
}

export async function openLateStore(clock: LateClock, queue: object): Promise<LateStore> {
  await using opened = new AsyncDisposableStack()
  let door: LateDoor | null = null
  const storage = opened.use(
    await openStorage({
      ...(clock.advance && { clock: clock as TestClock }),
      seedCatalogue: false,
      shop: { queue },
      shopUrl: async (url: string) => {
        door = opened.use(await openLateDoor(url, clock))
        return door.url
      },
    }),
  )
  if (door === null) throw new Error('The shop has no door.')
  const open = opened.move()
  return { storage, door, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

const BASKET = [{ sku: 'TEE-BLK-M', quantity: 2 }, { sku: 'SOCKS-GRY' }]

/** Everything that is done to an order of the shop, each to one of its own; `expectOnce` waits until it is done, and looks. */
export async function doEverything({ storage }: LateStore) {
  const { shop, platform } = storage
  const { actions } = platform
  const placed = new Map<string, ShopOrder>()
  for (const entry of ['collect', 'decline', 'expire', 'ship', 'refund', 'note'] as const) {
    const order = await shop.placeOrder({ lines: BASKET })
    placed.set(entry, order)
    const lines = BASKET.map(({ sku, quantity = 1 }) => ({ sku, quantity }))
    actions.placeOrder({ orderNo: order.number, lines, ship: entry === 'ship' })
  }
  const numberOf = (entry: string) => placed.get(entry)?.number ?? ''
  const before = shop.orders().length
  const made = actions.endlessAisle({ lines: [{ sku: 'TEE-BLK-M' }] })
  actions.saveForOnlineCheckout({ store: '101', lines: [{ sku: 'COAT-NVY-M' }] })
  for (const entry of ['collect', 'refund', 'note', 'expire']) actions.pickOrder({ orderNo: numberOf(entry) })
  actions.declineOrder({ orderNo: numberOf('decline'), sku: 'SOCKS-GRY' })
  actions.packOrder({ orderNo: numberOf('ship') })
  for (const entry of ['collect', 'refund', 'note']) actions.collectOrder({ orderNo: numberOf(entry) })
  actions.expireOrder({ orderNo: numberOf('expire') })
  actions.returnOrder({ orderNo: numberOf('refund'), sku: 'SOCKS-GRY', isRefunded: false })
  actions.returnOrder({ orderNo: numberOf('note'), sku: 'SOCKS-GRY', isRefunded: true })
  await platform.settled()

  return {
    expectOnce() {
      expect(shop.orders().length - before, 'one order and one draft').toBe(2)
      expect(shop.orders().filter(({ transactionId }) => transactionId === made.txRef)).toHaveLength(1)
      const now = (entry: string) => shop.orders().find(({ id }) => id === placed.get(entry)?.id)
      const back = (entry: string) => now(entry)?.refunds.map(({ amount, paidBack }) => `${amount} ${paidBack}`)
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
      for (const entry of placed.keys()) {
        const reported = now(entry)?.reported ?? []
        expect(reported, entry).toEqual([...new Set(reported)])
      }
    },
  }
}
