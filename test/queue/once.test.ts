import { expect, test } from 'vitest'
import { RetryLaterError } from '../../src/domain/values/errors.ts'
import { createTestClock } from '../clock.ts'
import { openTestStore } from '../empty-store.ts'
import { eventually } from '../eventually.ts'
import { createFolder, startTestHub } from '../hub.ts'
import {
  DAY,
  deliveriesOf,
  deliveryOf,
  flowOf,
  HOUR,
  hubOf,
  logged,
  MINUTE,
  middle,
  SECOND,
  saleNo,
  statusOf,
  through,
  untilAll,
  untilDelivery,
} from './kit/kit.ts'
import { createShop } from './kit/shop.ts'

const once = flowOf('create-order', { atMostOnce: true })
const repeated = flowOf('send-receipt', { atMostOnce: true, whenInDoubt: 'repeat' })
const held = flowOf('refund', { atMostOnce: true, whenInDoubt: 'hold' })
/** Sales of one POS are about the same thing. */
const inLine = { plan: () => [{ part: '', entity: 'pos:3' }] }

test('When the answer is lost and the shop says that it has it, then it is delivered without a second call', async () => {
  const clock = createTestClock()
  const shop = createShop()
  await using hub = await hubOf([once], { shop: through(shop.findable) }, clock)
  shop.turns = ['lost']
  await hub.post('SaleCreated', saleNo(1))
  await untilDelivery(hub, 1, ({ open, tries }) => open && tries === 1)
  expect(shop.finds).toBe(0)
  // It must have landed before the shop is asked: one timeout (20 s), and never before the item's own schedule.
  clock.advance(15 * SECOND)
  expect((await deliveryOf(hub, 1)).state).toBe('waiting')
  expect(shop.finds).toBe(0)
  clock.advance(5 * SECOND)
  const { attempts } = await untilDelivery(hub, 1, ({ state }) => state === 'delivered')
  expect(attempts.map(({ outcome, note }) => [outcome, note])).toEqual([
    ['unknown', 'no answer'],
    ['delivered', 'found there: order 99'],
  ])
  expect([shop.calls.length, shop.effects.length, shop.finds]).toEqual([1, 1, 1])
})

test('When the answer is lost and the shop says that it does not have it, then it is called again with the same key', async () => {
  const clock = createTestClock()
  const shop = createShop()
  await using hub = await hubOf([once], { shop: through(shop.findable) }, clock)
  shop.turns = ['nothing', 'nothing']
  await hub.post('SaleCreated', saleNo(1))
  await untilDelivery(hub, 1, ({ tries }) => tries === 1)
  clock.advance(20 * SECOND)
  await untilDelivery(hub, 1, ({ tries }) => tries === 2)
  clock.advance(30 * SECOND)
  await untilDelivery(hub, 1, ({ state }) => state === 'delivered')
  expect(shop.calls.map(({ previous }) => previous)).toEqual(['none', 'open', 'open'])
  expect(new Set(shop.calls.map(({ key }) => key))).toEqual(new Set(['SaleCreated:101/3/1/2026-11-20:create-order']))
  const [, second, third] = shop.calls.map(({ firstTriedAt }) => firstTriedAt ?? 0)
  expect(second).toBeLessThanOrEqual(clock.now() - 50 * SECOND)
  expect(Math.abs((second ?? 0) - (third ?? 0))).toBeLessThan(5)
  expect([shop.effects.length, shop.finds]).toEqual([1, 2])
})

test('When the look itself fails while others get through, then the hub looks again within minutes, after an hour a person is asked, and it never calls', async () => {
  const clock = createTestClock()
  const shop = createShop()
  await using hub = await hubOf([once], { shop: through(shop.findable) }, clock)
  shop.turns = ['lost']
  shop.blind = 10
  await hub.post('SaleCreated', saleNo(1))
  await untilDelivery(hub, 1, ({ tries }) => tries === 1)
  await hub.post('SaleCreated', saleNo(2))
  await untilDelivery(hub, 2, ({ state }) => state === 'delivered')
  clock.advance(20 * SECOND)
  for (const [at, delay] of [
    5 * SECOND,
    30 * SECOND,
    ...[2, 5, 5, 5, 5, 5].map((minutes) => minutes * MINUTE),
    HOUR,
  ].entries()) {
    const { attempts, dueAt, tries } = await untilDelivery(hub, 1, (found) => found.attempts.length === at + 2)
    const last = attempts.at(-1)
    expect(last?.code).toBe('find-unanswered')
    expect(dueAt - (last?.at ?? 0) - (last?.ms ?? 0)).toBe(delay)
    expect(tries).toBe(1)
    clock.advance(delay)
  }
  const { why } = await untilDelivery(hub, 1, ({ state }) => state === 'held')
  expect(why).toMatch(/^uncertain: looking for the effect .* the search is out of order/)
  expect([shop.calls.length, shop.finds]).toEqual([2, 10])

  // A person asks for another look, now that the search is back.
  await hub.admin('deliveries/retry', { filter: { id: 1 } })
  await untilDelivery(hub, 1, ({ state }) => state === 'delivered')
  expect([shop.calls.length, shop.finds]).toEqual([2, 11])
})

test('When the look fails for days and nobody else gets through, then it waits without a person, and is found once the search is back', async () => {
  const clock = createTestClock()
  const shop = createShop()
  await using hub = await hubOf([once], { shop: through(shop.findable) }, clock)
  shop.turns = ['lost']
  shop.blind = 20
  await hub.post('SaleCreated', saleNo(1))
  await untilDelivery(hub, 1, ({ tries }) => tries === 1)
  for (let look = 1; look <= 20; look += 1) {
    clock.advance(6 * HOUR)
    const { state } = await untilDelivery(hub, 1, ({ attempts }) => attempts.length === look + 1)
    expect(state).toBe('waiting')
  }
  expect(await statusOf(hub, 'shop')).toMatchObject({ outage: { why: expect.stringContaining('out of order') } })
  clock.advance(2 * MINUTE)
  await untilDelivery(hub, 1, ({ state }) => state === 'delivered')
  expect(shop.calls).toHaveLength(1)
})

test('When the shop cannot be reached for the look, then the queue pauses, and it is looked for again', async () => {
  const clock = createTestClock()
  const shop = createShop()
  let away = true
  const port = {
    ...shop.findable,
    async find(attempt: Parameters<NonNullable<typeof shop.findable.find>>[0]) {
      if (away) throw new RetryLaterError('cannot connect', { scope: 'destination' })
      return (await shop.findable.find?.(attempt)) ?? null
    },
  }
  await using hub = await hubOf([once], { shop: through(port) }, clock)
  shop.turns = ['lost']
  await hub.post('SaleCreated', saleNo(1))
  await untilDelivery(hub, 1, ({ tries }) => tries === 1)
  clock.advance(20 * SECOND)
  const waits = await untilDelivery(hub, 1, ({ attempts }) => attempts.length === 2)
  expect(waits).toMatchObject({ state: 'waiting', open: true, tries: 1 })
  expect((await statusOf(hub, 'shop')).outage).toMatchObject({ why: 'cannot connect' })
  away = false
  clock.advance(5 * SECOND)
  await untilDelivery(hub, 1, ({ state }) => state === 'delivered')
  expect([shop.calls.length, shop.effects.length]).toEqual([1, 1])
})

test('When the answer of a receipt is lost, then it is sent again with the same key: a second copy is better than none', async () => {
  const clock = createTestClock()
  const shop = createShop()
  await using hub = await hubOf([repeated], { mail: through(shop.port) }, clock)
  shop.turns = ['lost']
  await hub.post('SaleCreated', saleNo(1))
  await untilDelivery(hub, 1, ({ tries }) => tries === 1)
  clock.advance(5 * SECOND)
  await untilDelivery(hub, 1, ({ state }) => state === 'delivered')
  expect(shop.effects).toHaveLength(2)
  expect(shop.effects[1]).toBe(shop.effects[0])
})

test('When the answer of a refund is lost, then it is held and listed; a plain retry holds it again, `again` sends it', async () => {
  const shop = createShop()
  await using hub = await hubOf([{ ...held, ...inLine }], { bank: through(shop.port) })
  shop.turns = ['lost']
  await hub.post('SaleCreated', saleNo(1))
  await hub.post('SaleCreated', saleNo(2))
  const first = await untilDelivery(hub, 1, ({ state }) => state === 'held')
  expect(first.why).toBe('uncertain: no answer')
  const { body } = await hub.admin<{ deliveries: { id: number }[] }>('deliveries?state=held')
  expect(body.deliveries.map(({ id }) => id)).toEqual([1])
  expect(logged(hub, 'delivery.attempted')).toMatchObject([{ delivery: 1, state: 'held', level: 50 }])

  await hub.admin('deliveries/retry', { filter: { id: 1 } })
  const again = await untilDelivery(hub, 1, ({ state, attempts }) => state === 'held' && attempts.length === 2)
  expect(again.code).toBe('uncertain')
  expect(shop.calls).toHaveLength(1)
  // The one behind it waits for the person's decision.
  expect((await deliveryOf(hub, 2)).state).toBe('waiting')

  await hub.admin('deliveries/retry', { filter: { id: 1 }, again: true, reason: 'the bank has nothing' })
  const done = await untilDelivery(hub, 1, ({ state }) => state === 'delivered')
  expect(done.audit).toMatchObject([{ action: 'retry' }, { action: 'retry again', reason: 'the bank has nothing' }])
  await untilAll(hub, 'delivered', 2)
  expect(shop.calls.map(({ key }) => key.split(':')[1])).toEqual([
    '101/3/1/2026-11-20',
    '101/3/1/2026-11-20',
    '101/3/2/2026-11-20',
  ])
})

for (const { flow, findable, landed, state, calls, finds, name } of [
  {
    name: 'can be asked, and has it',
    flow: once,
    findable: true,
    landed: true,
    state: 'delivered',
    calls: 0,
    finds: 1,
  },
  {
    name: 'can be asked, and lacks it',
    flow: once,
    findable: true,
    landed: false,
    state: 'delivered',
    calls: 1,
    finds: 1,
  },
  {
    name: 'may be called twice',
    flow: repeated,
    findable: false,
    landed: true,
    state: 'delivered',
    calls: 1,
    finds: 0,
  },
  { name: 'cannot be asked', flow: held, findable: false, landed: false, state: 'held', calls: 0, finds: 0 },
] as const)
  test(`When a process dies between the intent and the result, and the shop ${name}, then nobody acts before the lease is over`, async () => {
    await using folder = await createFolder()
    const clock = createTestClock()
    const shop = createShop()
    const destinations = { shop: through(findable ? shop.findable : shop.port) }
    const given = { destinations, flows: [flow], folder: folder.path, clock, random: middle }
    const lease = 40 * SECOND
    {
      await using hub = await startTestHub(given)
      await hub.admin('destinations/shop/pause', {})
      await hub.post('SaleCreated', saleNo(1))
    }
    {
      // A process that gets as far as the intent, and no further.
      await using storage = await openTestStore(`${folder.path}/tillbridge.db`, {
        sameBytesWindow: HOUR,
        clock: clock.now,
        onOpening: () => {},
      })
      const queue = { destination: 'shop', urgency: 'prompt' } as const
      await storage.resume(queue)
      const room = { calls: 10, yielding: 10, bytes: 1_000_000, batch: { items: 10, bytes: 1_000_000, linger: 0 } }
      const { calls: claimed } = await storage.claim(queue, room, lease)
      expect(claimed).toMatchObject([[{ delivery: { id: 1, open: false } }]])
    }
    if (landed) shop.effects.push('SaleCreated:101/3/1/2026-11-20:create-order')
    await using hub = await startTestHub(given)
    expect(await deliveryOf(hub, 1)).toMatchObject({ state: 'waiting', open: true })
    clock.advance(lease - 15 * SECOND)
    expect(await statusOf(hub, 'shop')).toMatchObject({ waiting: 1, inFlight: 0 })
    expect([shop.calls.length, shop.finds]).toEqual([0, 0])
    clock.advance(15 * SECOND)
    await untilDelivery(hub, 1, (delivery) => delivery.state === state)
    expect([shop.calls.length, shop.finds]).toEqual([calls, finds])
  })

test('When a hub is stopped while it claims what must happen once, then nothing untried is taken for uncertain', async () => {
  await using folder = await createFolder()
  const shop = createShop()
  const given = { destinations: { bank: through(shop.port) }, flows: [held], folder: folder.path }
  for (let round = 0; round < 5; round += 1) {
    await using hub = await startTestHub(given)
    const posts = Array.from({ length: 30 }, (_, no) => hub.post('SaleCreated', saleNo(`${round}-${no}`)))
    await Promise.race(posts)
    await hub.hub.stop(200)
    await Promise.allSettled(posts)
  }
  await using hub = await startTestHub(given)
  const all = await eventually(async () => {
    const rows = await deliveriesOf(hub)
    return rows.every(({ state }) => state === 'delivered' || state === 'held') && rows
  })
  expect(all.length).toBeGreaterThan(5)
  expect(all.filter(({ state }) => state === 'held')).toEqual([])
  expect(new Set(shop.effects).size).toBe(all.length)
  expect(shop.effects).toHaveLength(all.length)
})

test('When the store’s clock is days ahead of the machine’s, then an adapter is told by the machine’s when it first tried', async () => {
  const own = () => Date.now() - 3 * DAY
  const clock = { ...createTestClock(), machineNow: own }
  const shop = createShop()
  await using hub = await hubOf([once], { shop: through(shop.findable) }, clock)
  shop.turns = ['nothing']
  const before = own()
  await hub.post('SaleCreated', saleNo(1))
  await untilDelivery(hub, 1, ({ tries }) => tries === 1)
  clock.advance(20 * SECOND)
  await untilDelivery(hub, 1, ({ state }) => state === 'delivered')
  const { firstTriedAt } = shop.calls[1] ?? {}
  expect(firstTriedAt).toBeGreaterThanOrEqual(before - 21 * SECOND)
  expect(firstTriedAt).toBeLessThanOrEqual(own())
})
