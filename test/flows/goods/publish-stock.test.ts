import { describe, expect, test } from 'vitest'
import { createTestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { stockMovement } from '../../fixtures/payloads.ts'
import { deliveriesOf, keptIn } from '../../hub.ts'
import { LINGER, shareOnlineStore, WEB } from '../orders/online-given.ts'

const MOVED = 'StockMovementCreated'

const clock = createTestClock()
const opened = shareOnlineStore({ clock })

const inShop = (sku: string) =>
  opened()
    .shop.products()
    .find((one) => one.sku === sku)?.stock

/** What the last movement of an article left in the stock of the online store, in whatever order they came. */
function lastLevel(sku: string): number {
  const moved = keptIn(opened().hub)
    .filter(({ kind }) => kind === MOVED)
    .map(({ body }) => JSON.parse(String(body)))
    .filter((one) => one.stockId === WEB && one.sku === sku)
    .toSorted((one, other) => one.movementId - other.movementId)
  return moved.at(-1)?.stockLevel
}

/** What was owed to the shop, oldest first: state and why. */
async function pending(): Promise<string[]> {
  const rows = await deliveriesOf(opened().hub)
  return rows
    .filter(({ flow }) => flow === 'publish-stock')
    .toReversed()
    .map(({ state, code }) => `${state} ${code}`)
}

describe('the stock of the online store', () => {
  test('When an order of the online store takes goods, then the shop has the level that is left', async () => {
    const store = opened()
    expect(inShop('JUMPER-GRN-S')).toBeNull()
    store.platform.actions.importSale({ store: '101', sku: 'JUMPER-GRN-S', quantity: 2 })
    await store.quiet()
    expect(inShop('JUMPER-GRN-S')).toBe(lastLevel('JUMPER-GRN-S'))
  })

  test('When an article moves many times while the shop is busy, then it ends with the last level, in two calls', async () => {
    const store = opened()
    const before = (await pending()).length
    store.shop.faults.hold('start')
    store.platform.actions.adjustStock({ stock: 'WEB', sku: 'SOCKS-GRY', quantity: 1 })
    await eventually(() => {
      clock.advance(LINGER)
      return store.shop.faults.held === 1
    })
    for (let turn = 0; turn < 20; turn++)
      store.platform.actions.adjustStock({ stock: 'WEB', sku: 'SOCKS-GRY', quantity: 1 })
    await store.platform.settled()
    // All that is behind the one in the shop is owed by now: else some of it would go out by itself.
    await eventually(async () => {
      clock.advance(LINGER)
      const mirrored = (await deliveriesOf(store.hub)).filter(({ flow }) => flow === 'mirror-stock')
      expect(mirrored.filter(({ state }) => state !== 'delivered')).toEqual([])
    })
    store.shop.faults.release()
    await store.quiet()
    expect(inShop('SOCKS-GRY')).toBe(lastLevel('SOCKS-GRY'))
    const since = (await pending()).slice(before)
    expect(since.filter((state) => state.startsWith('delivered'))).toHaveLength(2)
    expect(since.filter((state) => !/^(delivered|superseded)/.test(state))).toEqual([])
  })

  test('When a POS that was offline tells a sale of two hours ago, then the shop has the level after it; a webhook that is late changes nothing', async () => {
    const store = opened()
    const about = { stockId: WEB, sku: 'TEE-WHT-L', gtin: '7090012340028' }
    const moved = (movementId: number, stockLevel: number, createdDateTime: string) =>
      store.hub.post(MOVED, stockMovement({ ...about, movementId, stockLevel, createdDateTime }))
    await moved(9_100_001, 9, '2026-11-20T11:30:00')
    await store.quiet()
    await moved(9_100_002, 8, '2026-11-20T09:30:00')
    await store.quiet()
    expect(inShop('TEE-WHT-L')).toBe(8)
    await moved(9_100_000, 10, '2026-11-20T09:29:00')
    await store.quiet()
    expect(inShop('TEE-WHT-L')).toBe(8)
  })
})
