import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { ShopOrder } from '../../../sandbox/shop/shop.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import type { TestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { inFlight, type OpenStore, openStore, waiting } from '../days/open-store.ts'
import { type Door, openDoor } from '../door.ts'

/* A shop that carries out what it is asked for long after whoever asked has given up. */

/** Requests that change something in the shop, by what they do. */
export const WRITES = {
  'making an order': /^POST .*\/orders$/,
  'giving money back': /^POST .*\/orders\/\d+\/refunds$/,
  'writing a note': /^POST .*\/orders\/\d+\/notes$/,
  'changing an order': /^PUT .*\/orders\/\d+$/,
  'all that it does': /^(POST|PUT) /,
} as const

export interface LateStore extends AsyncDisposable {
  store: OpenStore
  door: Door
  /** Requests that are on their way through the door. */
  readonly underWay: number
  /** From now on requests of this kind come so late (milliseconds). */
  late(what: RegExp, ms: number): void
}

/** `clock`: by which requests are late; a TestClock can be put on. */
export async function openLateStore(
  clock: Clock & { advance?: TestClock['advance'] },
  lane: object,
): Promise<LateStore> {
  await using opened = new AsyncDisposableStack()
  let door: Door | null = null
  let underWay = 0
  const store = opened.use(
    await openStore({
      ...(clock.advance && { clock: clock as TestClock }),
      seedCatalogue: false,
      shop: { lane },
      shopUrl: async (url: string) => {
        door = opened.use(await openDoor(url))
        return door.url
      },
    }),
  )
  if (door === null) throw new Error('The shop has no door.')
  const there: Door = door
  const open = opened.move()
  return {
    store,
    door: there,
    get underWay() {
      return underWay
    },
    late(what, ms) {
      there.judge = async ({ line }) => {
        if (!what.test(line.split('?')[0] ?? '')) return null
        underWay += 1
        await new Promise<void>((resolve) => clock.after(ms, resolve))
        underWay -= 1
        return null
      }
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
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

/** Looks that a call may be between the hub and the shop before the clock is put on all the same. */
const PATIENCE = 200

/**
 * Waits until nothing is owed and nothing comes late any more; a clock that can be put on is, while each call that is under way is at the
 * shop's door: one that is on its way there would come later than it is meant to.
 */
export async function untilDone(
  late: LateStore,
  clock: { advance?: TestClock['advance'] },
  within: number,
): Promise<void> {
  const { hub, platform } = late.store
  let looked = 0
  await eventually(async () => {
    await platform.settled()
    const called = await inFlight(hub)
    const open = (await waiting(hub)) + called + late.underWay
    if (open === 0) return true
    looked = called > late.door.open ? looked + 1 : 0
    if (looked === 0 || looked > PATIENCE) clock.advance?.(4_000)
    await delay(clock.advance ? 5 : 500)
    return false
  }, within)
}
