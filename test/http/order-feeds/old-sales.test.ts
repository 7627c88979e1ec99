import { expect, test } from 'vitest'
import type { JobRow } from '../../../src/domain/health/health.ts'
import { createConnected } from '../../../src/http/order-feeds/order-feeds.ts'
import { type Counter, openCounter } from '../submissions/given.ts'
import { OWN_SHOP, push, saleItem } from './given.ts'

const HOUR = 3_600_000
const before = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString()

const SHOPS = {
  destinations: {
    shop: { adapter: OWN_SHOP, intake: { country: 'NO' } },
    old: { adapter: OWN_SHOP, intake: { country: 'NO', salesSince: '2021-01-01T00:00:00Z' } },
  },
  // Run by hand: when a shop is connected is part of the stories.
  config: { jobs: { 'shop-orders': '0 0 1 1 *' } },
}

const open = () => openCounter(SHOPS)

/** The shop completed an order, and touched it since unless it says when. */
async function sold({ hub }: Counter, orderNo: string, completedAt: string, changedAt?: string, to = 'shop') {
  const item = { completedAt, ...(changedAt !== undefined && { changedAt }) }
  return (await push(hub, [saleItem(orderNo, {}, item)], to)).body.status
}

const connect = async ({ hub }: Counter) => expect((await hub.admin('jobs/shop-orders/run', {})).status).toBe(200)

test('When an order is touched that was completed before the shop was connected, then it is no sale, and the log says so', async () => {
  await using it = await open()
  await connect(it)
  expect(await sold(it, 'S-old', '2020-03-01T10:00:00Z')).toBe('nothing')
  expect(await sold(it, 'S-touched', '2020-03-01T10:00:00Z', before(0))).toBe('nothing')
  expect(it.hub.lines.filter(({ msg }) => msg === 'intake.sale-before-connected')).toMatchObject([
    { destination: 'shop', orderNo: 'S-old' },
    { destination: 'shop', orderNo: 'S-touched' },
  ])
})

test('When an order was completed since, or on the day before, or is told of at once, then it is a sale', async () => {
  await using it = await open()
  await connect(it)
  expect(await sold(it, 'S-now', before(0))).toBe('accepted')
  expect(await sold(it, 'S-day', before(23), before(0))).toBe('accepted')
  const completed = before(2_000)
  expect(await sold(it, 'S-at-once', completed, completed)).toBe('accepted')
})

test('When it is not known yet since when a shop is connected, then its sales are taken', async () => {
  await using it = await open()
  expect(await sold(it, 'S-early', before(2_000), before(0))).toBe('accepted')
})

test('When config says since when, then that counts, to the instant', async () => {
  await using it = await open()
  await connect(it)
  expect(await sold(it, 'S-21', '2021-01-01T00:00:00Z', before(0), 'old')).toBe('accepted')
  expect(await sold(it, 'S-20', '2020-12-31T23:59:59Z', '2020-12-31T23:59:59Z', 'old')).toBe('nothing')
})

test('When the clock was ahead as the shop was connected, then what another hub put right counts here too', async () => {
  const now = Date.parse('2026-11-20T10:00:00Z')
  const kept = { connected: now + 40 * 24 * HOUR }
  const jobs = async () => [
    { name: 'shop-orders', state: JSON.stringify({ connected: { shop: kept.connected } }) } as JobRow,
  ]
  const connected = createConnected({ jobs }, { now: () => now })
  const wasBefore = (completedAt: string) =>
    connected.wasBefore({ name: 'shop', salesSince: undefined }, { completedAt })
  expect(await wasBefore('2026-11-01T10:00:00Z')).toBe(false)
  kept.connected = now
  expect(await wasBefore('2026-11-01T10:00:00Z')).toBe(true)
  expect(await wasBefore('2026-11-19T11:00:00Z')).toBe(false)
})
