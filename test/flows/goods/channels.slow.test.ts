import { expect, test } from 'vitest'
import { UserError } from '../../../src/domain/values/errors.ts'
import { createTestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { startTestHub } from '../../hub.ts'
import { openStorage } from '../days/open-store.ts'

const OSLO = '12'
const BERGEN = '13'
const WEB = '900'
const TEE = { sku: 'TEE-BLK-M', gtin: '7090012340011' }

test('When a shop sells from two stocks, then it has what they have together, less what is kept and the safety stock', async () => {
  await using storage = await openStorage({
    clock: createTestClock(),
    shop: { channels: { web: { stocks: [OSLO, BERGEN], safetyStock: 2 } } },
  })
  const { platform, shop, hub } = storage
  const inShop = () => shop.products().find(({ sku }) => sku === TEE.sku)?.stock
  const { actions } = platform
  await hub.admin('jobs/stores/run', {})

  actions.countStock({ stock: '101', sku: TEE.sku, quantity: 10 })
  await eventually(() => expect(inShop()).toBe(8))

  actions.countStock({ stock: '102', sku: TEE.sku, quantity: 5 })
  await eventually(() => expect(inShop()).toBe(8 + 3))

  actions.reserveStock({ stock: '101', sku: TEE.sku, quantity: 4 })
  await eventually(() => expect(inShop()).toBe(4 + 3))

  // One that has less than the safety stock gives none, and takes none from the other.
  actions.countStock({ stock: '102', sku: TEE.sku, quantity: 1 })
  await eventually(() => expect(inShop()).toBe(4))

  actions.releaseReservation()
  await eventually(() => expect(inShop()).toBe(8))

  // Nobody sells from Stockholm online.
  actions.countStock({ stock: '201', sku: TEE.sku, quantity: 99 })
  await storage.quiet()
  expect(inShop()).toBe(8)
})

test('When an online order was kept in a store and is fetched, then what was kept for it is free again', async () => {
  // The order is none of the shop's.
  const skip = ['order-ready', 'order-collected']
  const channels = { web: { stocks: [OSLO] } }
  await using storage = await openStorage({ clock: createTestClock(), shop: { channels, skip } })
  const { platform, shop, hub } = storage
  const inShop = () => shop.products().find(({ sku }) => sku === TEE.sku)?.stock
  const { actions } = platform
  await hub.admin('jobs/stores/run', {})
  actions.countStock({ stock: '101', sku: TEE.sku, quantity: 10 })
  await eventually(() => expect(inShop()).toBe(10))
  const { orderNo } = actions.placeOrder({ store: '101', sku: TEE.sku, quantity: 3 })
  await eventually(() => expect(inShop()).toBe(7))
  actions.pickOrder({ orderNo: String(orderNo) })
  actions.collectOrder({ orderNo: String(orderNo) })
  await storage.quiet()
  await eventually(() => expect(inShop()).toBe(7))
})

test('When a stock is written by the shop that is told its levels, then the hub does not start, and says so', async () => {
  const started = startTestHub({
    destinations: { shop: { adapter: 'rest', url: 'http://127.0.0.1:1', channels: { web: { stocks: ['900'] } } } },
    config: { platform: { stockWriters: { 900: 'shop' } } },
  })
  await expect(started).rejects.toThrow(UserError)
  await expect(started).rejects.toThrow('platform.stockWriters.900: found a second writer of stock 900')
})

test('When a system and the POS change a stock a hundred times each at once, then calls in both directions stay few, and stop', async () => {
  const clock = createTestClock()
  await using storage = await openStorage({ clock, shop: { channels: { web: { stocks: [WEB] } } } })
  const { platform, shop, hub } = storage
  await hub.admin('jobs/stores/run', {})
  const { body } = await hub.admin<{ key: string }>('keys', { system: 'erp', may: 'stock-adjustments' })
  const adjust = (turn: number) =>
    hub.ask('/v1/stock-adjustments', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${body.key}`,
        'content-type': 'application/json',
        'idempotency-key': `T-${turn}`,
      },
      body: JSON.stringify({ stockId: WEB, gtin: TEE.gtin, quantity: String(500 + turn) }),
    })
  const adjusted = Array.from({ length: 100 }, async (_, turn) => {
    platform.actions.adjustStock({ stock: 'WEB', sku: TEE.sku, quantity: 1 })
    return (await adjust(turn)).status
  })
  expect(new Set(await Promise.all(adjusted))).toEqual(new Set([202]))
  await storage.quiet()
  const calls = () =>
    hub.lines.filter(({ msg, destination }) => /^delivery\.(batch-)?attempted$/.test(msg) && destination !== 'mirror')
  const made = calls().length
  expect(made).toBeGreaterThan(1)
  expect(made).toBeLessThan(200)

  clock.advance(3_600_000)
  await storage.quiet()
  expect(calls()).toHaveLength(made)
  const level = (await hub.hub.storage.mirrorRows('stock', [`${WEB}/${TEE.gtin}`]))[0]?.body.level
  expect(String(shop.products().find(({ sku }) => sku === TEE.sku)?.stock)).toBe(level)
})
